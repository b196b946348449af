import { deriveParsedBody, readUnvalidatedJson } from "../http/body/body.ts";
import { tenantRoutes } from "../http/guard/guard.ts";
import { detailOf } from "../http/guard/required-scope.ts";
import { presentUpserts } from "../http/replies/upsert-replies.ts";
import { countRows } from "../http/resource/count-rows.ts";
import { prefersStrictHandling } from "../http/resource/prefer.ts";
import { ok, write } from "../http/resource/write.ts";
import { WriteQuery, writeReplies } from "../http/resource/write-schemas.ts";
import { subResourceList } from "../shared/resources.ts";
import { AccountBatchBody, readAccountBatch, rowsOfBatch } from "./input.ts";
import { AccountBatchReply } from "./model.ts";
import { upsertAccounts } from "./store.ts";

const detail = detailOf("Batches", "write");

/** Creates and updates accounts with their sub-resources. */
export const accountBatchRoutes = tenantRoutes("/api/v1/accounts")
  .derive(deriveParsedBody)
  .post(
    "/batch",
    async ({ tenant, set, query, idempotency, parsedBody, request }) => {
      const isStrict = prefersStrictHandling(request.headers.get("prefer"));
      const items = await readAccountBatch(parsedBody, { isStrict });
      return write(
        { tenant, set, query, idempotency },
        async (tx) => ok(presentUpserts(await upsertAccounts(tx, items), tenant.caller.requestId ?? "")),
        { isBulk: true, rowCount: countRows(rowsOfBatch(items)) },
      );
    },
    {
      parse: readUnvalidatedJson({ validMembers: () => ["accounts"] }),
      query: WriteQuery,
      body: AccountBatchBody,
      response: writeReplies({ 200: AccountBatchReply }, [], 400, 401, 413, 415, 500, 503),
      detail: detail(
        "upsertAccounts",
        `Create or update accounts with their ${subResourceList}`,
        `Up to 1,000 accounts by \`externalId\`, and 5,000 rows with their ${subResourceList}, in one transaction. Each row is created or updated as by PUT: an update leaves the fields that are not sent. Contacts are found by \`externalId\`, or else by \`email\` in their account. Rows that are not sent stay. An account fails or succeeds with all of its rows, and does not affect the others; the problem of a failed one has pointers such as \`/accounts/3/contacts/0/email\`.`,
      ),
    },
  );
