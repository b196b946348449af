import type { Context } from "elysia";
import type { Page } from "../../core/lists/list.ts";
import type { PageRequest } from "../../core/lists/paging.ts";
import { requireAccount } from "../../core/resource/account-reference.ts";
import type { Upserted } from "../../core/resource/sub-resource.ts";
import type { Tenant } from "../../core/tenant/tenant.ts";
import type { TenantSnapshot, TenantTransaction } from "../../core/tenant/transaction.ts";
import { conditionalReply } from "../replies/entity-tags.ts";
import { listReply } from "../replies/list-replies.ts";
import { pageOf } from "../validation/list-shapes.ts";
import type { WholeNumber } from "../validation/shapes.ts";
import type { ResourceNames } from "./schemas.ts";
import { memberSelector } from "./selection.ts";
import { created, deleted, handleWrite, ok } from "./write.ts";

/** How one kind of sub-resource is read, written and presented. `View` is its wire shape. */
export type ResourceVerbs<
  Row extends { id: number; version: number },
  View extends object,
  Query extends Parameters<typeof pageOf>[0],
  New,
  Changes,
  Put,
> = {
  present: (row: Row) => View;
  /** Lists the rows of the organization, or of one account. */
  list: {
    readFor(
      tenant: Tenant,
      query: Query & PageRequest & { accountId?: number | undefined },
      check?: (snapshot: TenantSnapshot) => Promise<unknown>,
    ): Promise<Page<Row>>;
  };
  store: {
    find: (snapshot: TenantSnapshot, id: number) => Promise<Row | undefined>;
    findByExternalId: (snapshot: TenantSnapshot, externalId: string) => Promise<Row | undefined>;
    get: (snapshot: TenantSnapshot, id: number) => Promise<Row>;
    getByExternalId: (snapshot: TenantSnapshot, externalId: string) => Promise<Row>;
    create: (tx: TenantTransaction, accountId: number, input: New) => Promise<Row>;
    update: (tx: TenantTransaction, id: number, input: Changes) => Promise<Row>;
    put: (tx: TenantTransaction, externalId: string, input: Put) => Promise<Upserted<Row>>;
    removeById: (tx: TenantTransaction, id: number) => Promise<void>;
    removeByExternalId: (tx: TenantTransaction, externalId: string) => Promise<void>;
  };
};

/** The members of Elysia's context that the handlers destructure. */
type TenantRead = { tenant: Tenant } & WithFields & Pick<Context, "request" | "set">;
type WithFields = { query: { fields?: string } };
type OfAccount = { params: { accountId: WholeNumber } };

/**
 * The handlers of the nine operations on a sub-resource. The routes combine them with the schemas of
 * `createResourceSchemas` under literal paths, where Elysia compares their types.
 */
export function createResourceHandlers<
  Row extends { id: number; version: number },
  const IdName extends string,
  View extends object,
  Query extends Parameters<typeof pageOf>[0],
  New,
  Changes,
  Put,
>(
  { plural, idName }: Pick<ResourceNames<IdName, never>, "plural" | "idName">,
  { store, present, list }: ResourceVerbs<Row, View, Query, New, Changes, Put>,
) {
  const path = `/api/v1/${plural}`;
  type ById = { params: Record<IdName, WholeNumber> };
  type ByExternalId = { params: { externalId: string } };
  const view = (row: Row, query: WithFields["query"]) => memberSelector(query)(present(row));
  // Stored as a whole: an erasure finds the contacts in stored replies by their members.
  const storedBody = (row: Row) => ({ storedBody: { data: present(row) } });

  /** The writes, for the handlers and for batches. */
  const writes = {
    create: async (
      tx: TenantTransaction,
      { params, query, body }: OfAccount & WithFields & { body: New },
    ) => {
      const row = await store.create(tx, Number(params.accountId), body);
      return { ...created(`${path}/${row.id}`, view(row, query), row), ...storedBody(row) };
    },
    update: async (tx: TenantTransaction, { params, query, body }: ById & WithFields & { body: Changes }) => {
      const row = await store.update(tx, Number(params[idName]), body);
      return { ...ok(view(row, query), row), ...storedBody(row) };
    },
    delete: async (tx: TenantTransaction, { params }: ById) => {
      await store.removeById(tx, Number(params[idName]));
      return deleted;
    },
    deleteByExternalId: async (tx: TenantTransaction, { params }: ByExternalId) => {
      await store.removeByExternalId(tx, params.externalId);
      return deleted;
    },
    put: async (
      tx: TenantTransaction,
      { params, query, body }: ByExternalId & WithFields & { body: Put },
    ) => {
      const { row, isNew } = await store.put(tx, params.externalId, body);
      const reply = isNew ? created(`${path}/${row.id}`, view(row, query), row) : ok(view(row, query), row);
      return { ...reply, ...storedBody(row) };
    },
  };
  const byId = {
    find: (tx: TenantTransaction, params: ById["params"]) => store.find(tx, Number(params[idName])),
  };
  const byExternalId = {
    find: (tx: TenantTransaction, { externalId }: ByExternalId["params"]) =>
      store.findByExternalId(tx, externalId),
  };

  return {
    writes,

    listAll: async ({
      tenant,
      query,
      request,
      set,
    }: TenantRead & { query: Query & { accountId?: WholeNumber } }) => {
      const accountId = query.accountId === undefined ? undefined : Number(query.accountId);
      const { rows, pagination } = await list.readFor(tenant, { ...query, ...pageOf(query), accountId });
      return listReply({ request, set }, rows.map(present).map(memberSelector(query)), pagination);
    },

    list: async ({ tenant, params, query, request, set }: TenantRead & OfAccount & { query: Query }) => {
      const accountId = Number(params.accountId);
      // 404 instead of an empty list for an account that does not exist.
      const { rows, pagination } = await list.readFor(
        tenant,
        { ...query, ...pageOf(query), accountId },
        (snapshot) => requireAccount(snapshot, { accountId }),
      );
      return listReply({ request, set }, rows.map(present).map(memberSelector(query)), pagination);
    },

    get: async ({ tenant, params, query, request, set }: TenantRead & ById) => {
      const row = await tenant.readOne((snapshot) => store.get(snapshot, Number(params[idName])));
      return conditionalReply({ request, set }, row, { data: view(row, query) });
    },

    getByExternalId: async ({ tenant, params, query, request, set }: TenantRead & ByExternalId) => {
      const row = await tenant.readOne((snapshot) => store.getByExternalId(snapshot, params.externalId));
      return conditionalReply({ request, set }, row, { data: view(row, query) });
    },

    create: handleWrite(writes.create),
    update: handleWrite(writes.update, byId),
    delete: handleWrite(writes.delete, byId),
    deleteByExternalId: handleWrite(writes.deleteByExternalId, byExternalId),
    put: handleWrite(writes.put, { ...byExternalId, canCreate: true }),
  };
}
