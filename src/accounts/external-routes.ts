import type { TenantTransaction } from "../core/tenant/tenant.ts";
import { strictJson } from "../http/body/body.ts";
import { tenantRoutes } from "../http/guard/guard.ts";
import { requires } from "../http/guard/required-scope.ts";
import { conditionalReply } from "../http/replies/entity-tags.ts";
import { NoContent, NotModified, replies } from "../http/replies/replies.ts";
import { ignoredBody } from "../http/resource/schemas.ts";
import { created, deleted, handleWrite, ok } from "../http/resource/write.ts";
import { defineOperation } from "../http/resource/write-operations.ts";
import { WriteQuery, writeReplies } from "../http/resource/write-schemas.ts";
import { embeddedMembers, type MemberQuery, wantedMembers, withIncluded } from "./included.ts";
import {
  AccountChangesBody,
  AccountExternalPath,
  AccountPutBody,
  GetAccountQuery,
  UpdateAccountQuery,
} from "./input.ts";
import { AccountReply, presentAccount, presentUpdated, selectMembers, UpdatedAccountReply } from "./model.ts";
import { type AccountInput, accountResource } from "./resource.ts";
import { readView } from "./routes.ts";
import {
  deleteAccountByExternalId,
  getAccountByExternalId,
  putAccount,
  updateAccountByExternalId,
} from "./store.ts";

const tags = ["Accounts"];
type ByAccountExternalId = { params: { externalId: string }; query: MemberQuery };
type PutInput = Omit<AccountInput, "externalId">;

const writes = {
  update: async (
    tx: TenantTransaction,
    { params, query, body }: ByAccountExternalId & { body: AccountInput },
  ) => {
    const row = await updateAccountByExternalId(tx, params.externalId, body);
    return ok(await readView(tx, row, query, presentUpdated), row);
  },
  put: async (tx: TenantTransaction, { params, query, body }: ByAccountExternalId & { body: PutInput }) => {
    const { row, isNew } = await putAccount(tx, params.externalId, body);
    const view = await readView(tx, row, query, presentUpdated);
    return isNew ? created(`/api/v1/accounts/${row.id}`, view, row) : ok(view, row);
  },
  delete: async (tx: TenantTransaction, { params }: ByAccountExternalId) => {
    await deleteAccountByExternalId(tx, params.externalId);
    return deleted;
  },
};

/** The row of preconditions. */
const byExternalId = {
  find: (tx: TenantTransaction, { externalId }: ByAccountExternalId["params"]) =>
    accountResource.findByExternalId(tx, externalId),
};

const path = "/api/v1/accounts/external/:externalId";
const params = AccountExternalPath;
/** The writes by external id that batches may have. */
export const externalAccountOperations = [
  defineOperation("PATCH", path, { params, body: AccountChangesBody }, writes.update),
  defineOperation("PUT", path, { params, body: AccountPutBody }, writes.put),
  defineOperation("DELETE", path, { params }, writes.delete),
];

/** The operations on accounts by external id. */
export const externalAccountRoutes = tenantRoutes("/api/v1/accounts/external")
  .get(
    "/:externalId",
    async ({ tenant, params, query, request, set }) => {
      const wanted = wantedMembers(query, embeddedMembers);
      const { row, included } = await tenant.read(async (snapshot) =>
        withIncluded(snapshot, await getAccountByExternalId(snapshot, params.externalId), wanted),
      );
      const data = selectMembers(presentAccount(row), included, query);
      return conditionalReply({ request, set }, row, { data });
    },
    {
      params: AccountExternalPath,
      query: GetAccountQuery,
      response: replies({ 200: AccountReply, 304: NotModified }, 400, 401, 404, 500, 503),
      detail: {
        tags,
        security: requires("read"),
        operationId: "getAccountByExternalId",
        summary: "Get an account by your own id",
        description: "Returns the account with this `externalId`, with its contacts, meetings and requests.",
      },
    },
  )
  .patch("/:externalId", handleWrite(writes.update, byExternalId), {
    parse: strictJson(AccountChangesBody),
    params,
    query: UpdateAccountQuery,
    body: AccountChangesBody,
    response: writeReplies(
      { 200: UpdatedAccountReply },
      ["external_id_conflict"],
      400,
      401,
      404,
      412,
      413,
      415,
      500,
      503,
    ),
    detail: {
      tags,
      security: requires("write"),
      operationId: "updateAccountByExternalId",
      summary: "Update an account by your own id",
      description: "Updates the members that are sent. The body may change `externalId` itself.",
    },
  })
  .put("/:externalId", handleWrite(writes.put, { ...byExternalId, canCreate: true }), {
    parse: strictJson(AccountPutBody),
    params,
    query: UpdateAccountQuery,
    body: AccountPutBody,
    response: writeReplies(
      { 200: UpdatedAccountReply, 201: UpdatedAccountReply },
      [],
      400,
      401,
      412,
      413,
      415,
      500,
      503,
    ),
    detail: {
      tags,
      security: requires("write"),
      operationId: "putAccount",
      summary: "Create or update an account by your own id",
      description:
        "Creates the account with this `externalId` (201) or updates it (200). An update changes the members that are sent and leaves the others. Pending usage events with this id are attached to a new account.",
    },
  })
  .delete("/:externalId", handleWrite(writes.delete, byExternalId), {
    ...ignoredBody,
    params,
    query: WriteQuery,
    response: writeReplies({ 204: NoContent }, [], 400, 401, 404, 412, 500, 503),
    detail: {
      tags,
      security: requires("write"),
      operationId: "deleteAccountByExternalId",
      summary: "Delete an account by your own id",
      description:
        "Deletes the account with this `externalId` permanently, with everything that belongs to it.",
    },
  });
