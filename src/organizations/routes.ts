import { presentKey } from "../api-keys/model.ts";
import { findKey } from "../api-keys/store.ts";
import { unauthorized } from "../core/errors.ts";
import { strictJson } from "../http/body/body.ts";
import { tenantRoutes } from "../http/guard/guard.ts";
import { detailOf } from "../http/guard/required-scope.ts";
import { problemReplies, replies } from "../http/replies/replies.ts";
import { handleWrite, ok } from "../http/resource/write.ts";
import { WriteQuery, writeReplies } from "../http/resource/write-schemas.ts";
import { MeReply, type OrganizationChanges, OrganizationChangesBody, OrganizationReply } from "./model.ts";
import { changeOrganization, readOrganization } from "./store.ts";

/** The operations on the caller's organization. */
export const organizationRoutes = tenantRoutes("/api/v1")
  .get("/organization", async ({ tenant }) => ({ data: await tenant.readOne(readOrganization) }), {
    response: replies({ 200: OrganizationReply }, 400, 401, 500, 503),
    detail: detailOf("Organization", "read")(
      "getOrganization",
      "Get the organization",
      "Returns the organization of the key.",
    ),
  })
  .patch(
    "/organization",
    handleWrite(
      ({ body }: { body: OrganizationChanges }) =>
        async (tx) =>
          ok(await changeOrganization(tx, body)),
    ),
    {
      parse: strictJson(OrganizationChangesBody),
      body: OrganizationChangesBody,
      query: WriteQuery,
      response: writeReplies({ 200: OrganizationReply }, [], 400, 401, 413, 415, 500, 503),
      detail: detailOf("Organization", "admin")(
        "updateOrganization",
        "Update the organization",
        "Sets the currency of every `mrr` and the number format of the console. No amount is converted, and the change is not in the change feed. A body without `currency` and `numberFormat` is rejected with `no_valid_fields`.",
      ),
    },
  )
  .get(
    "/me",
    async ({ tenant }) => {
      const { actor } = tenant.caller;
      // The command line has no key.
      if (actor.type !== "key") throw unauthorized();
      const data = await tenant.read(async (snapshot) => {
        const organization = await readOrganization(snapshot);
        const row = await findKey(snapshot, actor.id);
        if (!row) throw unauthorized();
        const { id, name, scopes, rateLimit, expiresAt } = presentKey(row);
        return { organization, key: { id, name, scopes, rateLimit, expiresAt } };
      });
      return { data };
    },
    {
      // Every key may ask whose it is: there is no 403.
      response: replies({ 200: MeReply, ...problemReplies(["unauthorized", "rate_limited"]) }, 400, 500, 503),
      detail: detailOf("Organization", "any")(
        "getMe",
        "Get the organization and the key of the request",
        "Returns whose key the request has: its organization, and what is stored about the key.",
      ),
    },
  );
