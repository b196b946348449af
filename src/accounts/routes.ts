import type { TenantTransaction } from "../core/tenant/tenant.ts";
import { strictJson } from "../http/body/body.ts";
import { tenantRoutes } from "../http/guard/guard.ts";
import { requires } from "../http/guard/required-scope.ts";
import { conditionalReply } from "../http/replies/entity-tags.ts";
import { listReply } from "../http/replies/list-replies.ts";
import { NoContent, NotModified, replies } from "../http/replies/replies.ts";
import { ignoredBody } from "../http/resource/schemas.ts";
import { memberSelector } from "../http/resource/selection.ts";
import { created, deleted, handleWrite, ok } from "../http/resource/write.ts";
import { defineOperation } from "../http/resource/write-operations.ts";
import { WriteQuery, writeReplies } from "../http/resource/write-schemas.ts";
import { pageOf } from "../http/validation/list-shapes.ts";
import { AccountPath, type WholeNumber } from "../http/validation/shapes.ts";
import {
  embeddedMembers,
  includesLists,
  type MemberQuery,
  placeOfIncluded,
  readIncludedInPage,
  wantedMembers,
  withIncluded,
} from "./included.ts";
import {
  AccountChangesBody,
  AccountListQuery,
  CreateAccountQuery,
  GetAccountQuery,
  NewAccountBody,
  UpdateAccountQuery,
} from "./input.ts";
import { accountList, readsScores } from "./list.ts";
import {
  AccountPage,
  AccountReply,
  addIncluded,
  CreatedAccountReply,
  presentAccount,
  presentCreated,
  presentListed,
  presentUpdated,
  selectMembers,
  UpdatedAccountReply,
} from "./model.ts";
import { type AccountInput, type AccountRow, accountResource } from "./resource.ts";
import { createAccount, deleteAccount, getAccount, type NewAccount, updateAccount } from "./store.ts";

const tags = ["Accounts"];
const conflicts = ["external_id_conflict"] as const;
type ByAccountId = { params: { accountId: WholeNumber } };

/** What the reply to a write shows of an account: the members of `present`, and those that the query selects. */
export async function readView<View extends object>(
  tx: TenantTransaction,
  row: AccountRow,
  query: MemberQuery,
  present: (row: AccountRow) => View,
) {
  const { included } = await withIncluded(tx, row, wantedMembers(query));
  return selectMembers(present(row), included, query);
}

const writes = {
  create: async (tx: TenantTransaction, { query, body }: { query: MemberQuery; body: NewAccount }) => {
    const row = await createAccount(tx, body);
    return created(`/api/v1/accounts/${row.id}`, await readView(tx, row, query, presentCreated), row);
  },
  update: async (
    tx: TenantTransaction,
    { params, query, body }: ByAccountId & { query: MemberQuery; body: AccountInput },
  ) => {
    const row = await updateAccount(tx, Number(params.accountId), body);
    return ok(await readView(tx, row, query, presentUpdated), row);
  },
  delete: async (tx: TenantTransaction, { params }: ByAccountId) => {
    await deleteAccount(tx, Number(params.accountId));
    return deleted;
  },
};

/** The row of preconditions. */
const byId = {
  find: (tx: TenantTransaction, { accountId }: ByAccountId["params"]) =>
    accountResource.find(tx, Number(accountId)),
};

/** The writes by id that batches may have. */
export const accountOperations = [
  defineOperation("POST", "/api/v1/accounts", { body: NewAccountBody }, writes.create),
  defineOperation(
    "PATCH",
    "/api/v1/accounts/:accountId",
    { params: AccountPath, body: AccountChangesBody },
    writes.update,
  ),
  defineOperation("DELETE", "/api/v1/accounts/:accountId", { params: AccountPath }, writes.delete),
];

/** The operations on accounts by id. */
export const accountRoutes = tenantRoutes("/api/v1/accounts")
  .get(
    "",
    async ({ tenant, query, request, set }) => {
      const wanted = wantedMembers(query);
      if (wanted.has("health") || readsScores(query)) await tenant.runJob("scores");
      const listed = { ...query, ...pageOf(query) };
      const place = includesLists(wanted) ? "reader" : accountList.placeOf(listed);
      const { rows, pagination, included } = await tenant.readList({ ...query, place }, async (snapshot) => {
        const page = await accountList.read(snapshot, listed);
        const more = wanted.size > 0 ? await readIncludedInPage(snapshot, page.rows, wanted) : [];
        return { ...page, included: more };
      });
      const views = rows.map((row, i) => addIncluded(presentListed(row), included[i]));
      return listReply({ request, set }, views.map(memberSelector(query)), pagination);
    },
    {
      query: AccountListQuery,
      response: replies({ 200: AccountPage }, 400, 401, 500, 503),
      detail: {
        tags,
        security: requires("read"),
        operationId: "listAccounts",
        summary: "List accounts",
        description:
          "Returns a page of the organization's accounts. `contactActivityAt[lt]`: not seen since; `none`: never seen.",
      },
    },
  )
  .get(
    "/:accountId",
    async ({ tenant, params, query, request, set }) => {
      const wanted = wantedMembers(query, embeddedMembers);
      const accountId = Number(params.accountId);
      const place = await placeOfIncluded(tenant, accountId, wanted);
      const { row, included } = await tenant.read(
        async (snapshot) => withIncluded(snapshot, await getAccount(snapshot, accountId), wanted),
        { isOneStatement: wanted.size === 0, place },
      );
      const data = selectMembers(presentAccount(row), included, query);
      return conditionalReply({ request, set }, row, { data });
    },
    {
      params: AccountPath,
      query: GetAccountQuery,
      response: replies({ 200: AccountReply, 304: NotModified }, 400, 401, 404, 500, 503),
      detail: {
        tags,
        security: requires("read"),
        operationId: "getAccount",
        summary: "Get an account",
        description:
          "Returns the account with its contacts, recent meetings and requests. An account of another organization is not found.",
      },
    },
  )
  .post("", handleWrite(writes.create), {
    parse: strictJson(NewAccountBody),
    query: CreateAccountQuery,
    body: NewAccountBody,
    response: writeReplies({ 201: CreatedAccountReply }, conflicts, 400, 401, 413, 415, 500, 503),
    detail: {
      tags,
      security: requires("write"),
      operationId: "createAccount",
      summary: "Create an account",
      description:
        "Creates an account and, with `contactName` or `contactEmail`, its first contact in the same transaction.",
    },
  })
  .patch("/:accountId", handleWrite(writes.update, byId), {
    parse: strictJson(AccountChangesBody),
    params: AccountPath,
    query: UpdateAccountQuery,
    body: AccountChangesBody,
    response: writeReplies({ 200: UpdatedAccountReply }, conflicts, 400, 401, 404, 412, 413, 415, 500, 503),
    detail: {
      tags,
      security: requires("write"),
      operationId: "updateAccount",
      summary: "Update an account",
      description:
        "Changes the members that are sent and leaves the others. When every value equals the stored one, nothing changes, `updatedAt` included. A body without any listed member is rejected with `no_valid_fields`.",
    },
  })
  .delete("/:accountId", handleWrite(writes.delete, byId), {
    ...ignoredBody,
    params: AccountPath,
    query: WriteQuery,
    response: writeReplies({ 204: NoContent }, [], 400, 401, 404, 412, 500, 503),
    detail: {
      tags,
      security: requires("write"),
      operationId: "deleteAccount",
      summary: "Delete an account",
      description:
        "Deletes the account permanently, with its contacts, meetings, requests, events, usage and health. Events and usage are deleted in steps after the reply. The external ids can be used again at once. The change feed gets one `account.deleted`.",
    },
  });
