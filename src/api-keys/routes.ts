import { strictJson } from "../http/body/body.ts";
import { tenantRoutes } from "../http/guard/guard.ts";
import { detailOf } from "../http/guard/required-scope.ts";
import { listReply } from "../http/replies/list-replies.ts";
import { NoContent, replies } from "../http/replies/replies.ts";
import { created, deleted, write } from "../http/resource/write.ts";
import { ignoredBody, WriteQuery, writeReplies } from "../http/resource/write-schemas.ts";
import { pageOf } from "../http/validation/list-shapes.ts";
import { KeyListQuery, KeyPath, NewKeyBody, readNewKey } from "./input.ts";
import { ApiKeyPage, ApiKeyReply, CreatedApiKeyReply, presentKey, type ReturnedKey } from "./model.ts";
import {
  createOrganizationKey,
  getOrganizationKey,
  keyList,
  revokeOrganizationKey,
} from "./organization-keys.ts";
import { newSecret } from "./secret.ts";

const detail = detailOf("Keys", "admin");

/** The operations on the keys of the caller's organization. */
export const keyRoutes = tenantRoutes("/api/v1/keys")
  .get(
    "",
    async ({ tenant, query, request, set }) => {
      const page = await keyList.readFor(tenant, { ...query, ...pageOf(query) });
      return listReply({ request, set }, page.rows.map(presentKey), page);
    },
    {
      query: KeyListQuery,
      response: replies({ 200: ApiKeyPage }, 400, 401, 500, 503),
      detail: detail(
        "listKeys",
        "List keys",
        "Returns a page of the organization's keys, without the keys themselves. Revoked and expired ones are included.",
      ),
    },
  )
  .post(
    "",
    async ({ tenant, set, query, idempotency, body }) => {
      const input = readNewKey(body);
      const secret = newSecret();
      return write({ tenant, set, query, idempotency }, async (tx) => {
        const key = presentKey(await createOrganizationKey(tx, secret, input));
        const reply = created<ReturnedKey>(`/api/v1/keys/${key.id}`, { ...key, key: secret });
        // The secret is not stored: a replay does not have it.
        return { ...reply, storedBody: { data: key } };
      });
    },
    {
      parse: strictJson(NewKeyBody),
      query: WriteQuery,
      body: NewKeyBody,
      response: writeReplies({ 201: CreatedApiKeyReply }, [], 400, 401, 413, 415, 500, 503),
      detail: detail(
        "createKey",
        "Create a key",
        "Creates a key of the organization and returns it, this once. A scope that the key of the request does not have is `insufficient_scope`.",
      ),
    },
  )
  .get(
    "/:keyId",
    async ({ tenant, params }) => ({
      data: presentKey(
        await tenant.readOne((snapshot) => getOrganizationKey(snapshot, Number(params.keyId))),
      ),
    }),
    {
      params: KeyPath,
      response: replies({ 200: ApiKeyReply }, 400, 401, 404, 500, 503),
      detail: detail(
        "getKey",
        "Get a key",
        "Returns what is stored about a key. A key of another organization is not found.",
      ),
    },
  )
  .delete(
    "/:keyId",
    ({ tenant, set, query, idempotency, params }) =>
      write({ tenant, set, query, idempotency }, async (tx) => {
        await revokeOrganizationKey(tx, Number(params.keyId));
        return deleted;
      }),
    {
      ...ignoredBody,
      params: KeyPath,
      query: WriteQuery,
      response: writeReplies({ 204: NoContent }, [], 400, 401, 404, 500, 503),
      detail: detail(
        "revokeKey",
        "Revoke a key",
        "Revokes a key at once and for good, also the key of the request. The list still has it. Revoking it again changes nothing.",
      ),
    },
  );
