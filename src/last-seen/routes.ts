import { deriveParsedBody, readUnvalidatedJson } from "../http/body/body.ts";
import { tenantRoutes } from "../http/guard/guard.ts";
import { detailOf } from "../http/guard/required-scope.ts";
import { ok, write } from "../http/resource/write.ts";
import { WriteQuery, writeReplies } from "../http/resource/write-schemas.ts";
import { maxJsonDepth } from "../shared/request-limits.ts";
import { LastSeenBody, readLastSeenItems } from "./input.ts";
import { LastSeenReply } from "./model.ts";
import { storeLastSeen } from "./store.ts";

const detail = detailOf("Health", "events");

/** Receives when other platforms last saw accounts and contacts. */
export const lastSeenRoutes = tenantRoutes("/api/v1")
  .derive(deriveParsedBody)
  .post(
    "/last-seen",
    async ({ tenant, set, query, idempotency, parsedBody }) => {
      const candidates = await readLastSeenItems(parsedBody, tenant.now);
      return write(
        { tenant, set, query, idempotency },
        async (tx) => ok(await storeLastSeen(tx, candidates)),
        { rowCount: candidates.length },
      );
    },
    {
      parse: readUnvalidatedJson({ maxDepth: maxJsonDepth, validMembers: () => ["items"] }),
      query: WriteQuery,
      body: LastSeenBody,
      response: writeReplies({ 200: LastSeenReply }, [], 400, 401, 413, 415, 500, 503),
      detail: detail(
        "sendLastSeen",
        "Send when other platforms last saw accounts",
        "Stores the latest timestamp of each account and source. It is a factor of the account's health unless `contactActivityAt` is set, which has priority over every platform. All items are stored in one transaction; an item that is rejected does not affect the others. At most 1,000 items, which may update at most 10,000 contacts by their addresses.",
      ),
    },
  );
