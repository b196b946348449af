import { assertRoomForLongChange } from "../core/long-changes.ts";
import { strictJson } from "../http/body/body.ts";
import { tenantRoutes } from "../http/guard/guard.ts";
import { detailOf } from "../http/guard/required-scope.ts";
import { ok } from "../http/resource/write.ts";
import { writeInSteps } from "../http/resource/write-in-steps.ts";
import { WriteQuery, writeReplies } from "../http/resource/write-schemas.ts";
import { checkErasure, ErasureBody } from "./input.ts";
import { ErasureReply } from "./model.ts";
import { erasePerson } from "./store.ts";

const detail = detailOf("Erasures", "admin");

/** Erases persons. */
export const erasureRoutes = tenantRoutes("/api/v1/erasures").post(
  "",
  ({ tenant, set, query, idempotency, body }) => {
    checkErasure(body);
    // Before the statement that looks for the reply to the Idempotency-Key.
    assertRoomForLongChange(tenant.organizationId);
    return writeInSteps({ tenant, set, query, idempotency }, async (isDryRun) =>
      ok(await erasePerson(tenant, body, isDryRun)),
    );
  },
  {
    parse: strictJson(ErasureBody),
    query: WriteQuery,
    body: ErasureBody,
    response: writeReplies({ 200: ErasureReply }, [], 400, 401, 413, 415, 500, 503),
    detail: detail(
      "erasePerson",
      "Erase a person",
      "Deletes the contacts with the address and the pending traits of the person, and removes the person from events, from the users of days, from the change feed and from stored responses. The address, the `userId` and the `externalId` of a contact are linked: the erasure includes every identifier that is linked with the request, so a shared address links several users; a dry run returns the same counts. A second copy of an erased event is still a duplicate. Responds when all is done, which takes time in proportion to the organization's events and changes. If another program keeps the database file open for reading, it responds after some seconds with `filePending`, and erases the rest of the file later. An interrupted erasure is completed by sending it again. In each server, the erasures of one organization run one after another. The 33rd waiting erasure, and an erasure that has waited for 5 s, is 503 `too_busy`. A dry run counts as an erasure.",
    ),
  },
);
