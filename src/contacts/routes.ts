import { tenantRoutes } from "../http/guard/guard.ts";
import { detailOf } from "../http/guard/required-scope.ts";
import { conditionalReply } from "../http/replies/entity-tags.ts";
import { NotModified, replies } from "../http/replies/replies.ts";
import { readProblems } from "../http/resource/write-schemas.ts";
import { ContactQuery, ContactReply, ContactUserPath, presentContact } from "./model.ts";
import { getContactByUserId } from "./store.ts";

const detail = detailOf("Contacts", "read");

/** The operation on contacts that the other sub-resources do not have. */
export const contactUserRoutes = tenantRoutes("/api/v1/contacts").get(
  "/user/:userId",
  async ({ tenant, params, query, request, set }) => {
    const row = await tenant.readOne((snapshot) => getContactByUserId(snapshot, params.userId));
    return conditionalReply({ request, set }, row, { data: presentContact(row, query) });
  },
  {
    params: ContactUserPath,
    query: ContactQuery,
    response: replies({ 200: ContactReply, 304: NotModified }, ...readProblems),
    detail: detail(
      "getContactByUserId",
      "Get a contact by the user id",
      "Returns a contact by its `userId`.",
    ),
  },
);
