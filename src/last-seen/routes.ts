import { deriveParsedBody, readUnvalidatedJson } from "../http/body.ts";
import { tenantRoutes } from "../http/guard.ts";
import { replies } from "../http/replies.ts";
import { LastSeenBody, readLastSeenItems } from "./input.ts";
import { LastSeenReply } from "./model.ts";
import { storeLastSeen } from "./store.ts";

/** What other platforms know of when accounts and people were last active. */
export const lastSeenRoutes = tenantRoutes("/api/v1")
  .derive(deriveParsedBody)
  .post(
    "/last-seen",
    async ({ tenant, parsedBody }) => {
      const candidates = readLastSeenItems(parsedBody, tenant.now);
      return { data: await tenant.write((tx) => storeLastSeen(tx, candidates)) };
    },
    {
      parse: readUnvalidatedJson({ maxDepth: 8, validMembers: () => ["items"] }),
      body: LastSeenBody,
      response: replies({ 200: LastSeenReply }, 400, 401, 413, 415, 500, 503),
      detail: {
        tags: ["Health"],
        operationId: "sendLastSeen",
        summary: "Send when other platforms last saw accounts",
        description:
          "Of each source its latest moment is kept. It is a factor of the account's health, unless `contactActivityAt` is set: that has priority over every platform. At most 1,000 items, whose addresses reach 10,000 contacts, all in one transaction, answered when it is on the disk. Each item has its own outcome: a bad one never spoils the others.",
      },
    },
  );
