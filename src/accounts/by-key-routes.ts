import type { Tenant } from "../core/tenant/tenant.ts";
import type { TenantTransaction } from "../core/tenant/transaction.ts";
import { strictJson } from "../http/body/body.ts";
import { conditionalReply } from "../http/replies/entity-tags.ts";
import { NoContent, NotModified, replies } from "../http/replies/replies.ts";
import { created, deleted, handleWrite, ok } from "../http/resource/write.ts";
import { defineOperation } from "../http/resource/write-operations.ts";
import {
  ignoredBody,
  readProblems,
  WriteQuery,
  writeProblems,
  writeReplies,
} from "../http/resource/write-schemas.ts";
import { AccountPath } from "../http/validation/shapes.ts";
import {
  embeddedMembers,
  type MemberQuery,
  placeOfIncluded,
  wantedMembers,
  withIncluded,
} from "./included.ts";
import { AccountChangesBody, AccountExternalPath, GetAccountQuery, UpdateAccountQuery } from "./input.ts";
import {
  AccountReply,
  presentAccount,
  presentCreated,
  presentUpdated,
  selectMembers,
  UpdatedAccountReply,
} from "./model.ts";
import type { AccountInput, AccountRow } from "./resource.ts";
import {
  type AccountKey,
  createAccount,
  deleteAccount,
  findAccountRow,
  getAccount,
  type NewAccount,
  putAccount,
  updateAccount,
} from "./store.ts";

export const conflicts = ["external_id_conflict"] as const;

/** What the reply to a write shows of an account: the members of `present`, and the members that the query selects. */
async function readView<View extends object>(
  tx: TenantTransaction,
  row: AccountRow,
  query: MemberQuery,
  present: (row: AccountRow) => View,
) {
  const { included } = await withIncluded(tx, row, wantedMembers(query));
  return selectMembers(present(row), included, query);
}

/** The members of Elysia's context that a read destructures. */
type ReadContext = { tenant: Tenant; query: MemberQuery } & Parameters<typeof conditionalReply>[0];

/** The operations on one account, which the parameters of the path name. */
function operationsByKey<Path extends typeof AccountPath | typeof AccountExternalPath>(
  params: Path,
  keyOf: (params: Path["static"]) => AccountKey,
) {
  type ByKey = { params: Path["static"] };
  const writes = {
    update: async (
      tx: TenantTransaction,
      { params, query, body }: ByKey & { query: MemberQuery; body: AccountInput },
    ) => {
      const row = await updateAccount(tx, keyOf(params), body);
      return ok(await readView(tx, row, query, presentUpdated), row);
    },
    delete: async (tx: TenantTransaction, { params }: ByKey) => {
      await deleteAccount(tx, keyOf(params));
      return deleted;
    },
  };
  /** The row of preconditions. */
  const existing = {
    find: (tx: TenantTransaction, params: Path["static"]) => findAccountRow(tx, keyOf(params)),
  };
  return {
    existing,
    get: async ({ tenant, params, query, request, set }: ReadContext & ByKey) => {
      const wanted = wantedMembers(query, embeddedMembers);
      const key = keyOf(params);
      const { row, included } = await tenant.read(
        async (snapshot) => withIncluded(snapshot, await getAccount(snapshot, key), wanted),
        { isOneStatement: wanted.size === 0, place: await placeOfIncluded(tenant, key, wanted) },
      );
      const data = selectMembers(presentAccount(row), included, query);
      return conditionalReply({ request, set }, row, { data });
    },
    update: handleWrite(writes.update, existing),
    delete: handleWrite(writes.delete, existing),
    schemas: {
      get: {
        params,
        query: GetAccountQuery,
        response: replies({ 200: AccountReply, 304: NotModified }, ...readProblems),
      },
      update: {
        parse: strictJson(AccountChangesBody),
        params,
        query: UpdateAccountQuery,
        body: AccountChangesBody,
        response: writeReplies({ 200: UpdatedAccountReply }, conflicts, ...writeProblems),
      },
      delete: {
        ...ignoredBody,
        params,
        query: WriteQuery,
        response: writeReplies({ 204: NoContent }, [], ...readProblems, 412),
      },
    },
    /** The writes that batches may have. */
    batched: (path: string) => [
      defineOperation("PATCH", path, { params, body: AccountChangesBody }, writes.update),
      defineOperation("DELETE", path, { params }, writes.delete),
    ],
  };
}

export const byId = operationsByKey(AccountPath, ({ accountId }) => Number(accountId));
export const byExternalId = operationsByKey(AccountExternalPath, ({ externalId }) => externalId);

export const create = async (
  tx: TenantTransaction,
  { query, body }: { query: MemberQuery; body: NewAccount },
) => {
  const row = await createAccount(tx, body);
  return created(`/api/v1/accounts/${row.id}`, await readView(tx, row, query, presentCreated), row);
};
type PutInput = {
  params: { externalId: string };
  query: MemberQuery;
  body: Omit<AccountInput, "externalId">;
};
export const put = async (tx: TenantTransaction, { params, query, body }: PutInput) => {
  const { row, isNew } = await putAccount(tx, params.externalId, body);
  const view = await readView(tx, row, query, presentUpdated);
  return isNew ? created(`/api/v1/accounts/${row.id}`, view, row) : ok(view, row);
};
