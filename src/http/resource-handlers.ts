import { type Context, status } from "elysia";
import { requireAccount } from "../core/account-reference.ts";
import type { Page } from "../core/list-query.ts";
import type { Upserted } from "../core/sub-resource.ts";
import type { Tenant, TenantSnapshot, TenantTransaction } from "../core/tenant.ts";
import type { WholeNumber } from "./shapes.ts";

/** How one kind of sub-resource is read, written and presented. `View` is its wire shape. */
export type ResourceVerbs<
  Row extends { id: number },
  IdName extends string,
  View,
  Query,
  New,
  Changes,
  Put,
> = {
  /** The path of its rows: `/api/v1/contacts`. */
  path: string;
  /** The parameter for the id in its paths: `contactId`. */
  idName: IdName;
  present: (row: Row) => View;
  list: (snapshot: TenantSnapshot, accountId: number, query: Query) => Promise<Page<Row>>;
  store: {
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
type TenantRequest<Params> = { tenant: Tenant; params: Params };
type OfAccount = TenantRequest<{ accountId: WholeNumber }>;
type ByExternalId = TenantRequest<{ externalId: string }>;
type ReplyHeaders = Pick<Context, "set">;

/**
 * The handlers of the eight operations on a sub-resource. The routes combine them with the schemas of
 * `createResourceSchemas` under literal paths, where Elysia compares their types.
 */
export function createResourceHandlers<
  Row extends { id: number },
  const IdName extends string,
  View,
  Query,
  New,
  Changes,
  Put,
>(verbs: ResourceVerbs<Row, IdName, View, Query, New, Changes, Put>) {
  const { path, idName, store, present } = verbs;
  type ById = TenantRequest<Record<IdName, WholeNumber>>;

  return {
    list: async ({ tenant, params, query }: OfAccount & { query: Query }) => {
      const accountId = Number(params.accountId);
      const { rows, pagination } = await tenant.read(async (snapshot) => {
        // 404 instead of an empty list for an account that does not exist.
        await requireAccount(snapshot, { accountId });
        return verbs.list(snapshot, accountId, query);
      });
      return { data: rows.map(present), pagination };
    },

    create: async ({ tenant, params, body, set }: OfAccount & { body: New } & ReplyHeaders) => {
      const row = await tenant.write((tx) => store.create(tx, Number(params.accountId), body));
      set.headers.location = `${path}/${row.id}`;
      return status(201, { data: present(row) });
    },

    get: async ({ tenant, params }: ById) => ({
      data: present(await tenant.read((snapshot) => store.get(snapshot, Number(params[idName])))),
    }),

    update: async ({ tenant, params, body }: ById & { body: Changes }) => ({
      data: present(await tenant.write((tx) => store.update(tx, Number(params[idName]), body))),
    }),

    delete: async ({ tenant, params, set }: ById & ReplyHeaders) => {
      await tenant.write((tx) => store.removeById(tx, Number(params[idName])));
      delete set.headers["content-type"];
      return status(204, undefined);
    },

    getByExternalId: async ({ tenant, params }: ByExternalId) => ({
      data: present(await tenant.read((snapshot) => store.getByExternalId(snapshot, params.externalId))),
    }),

    deleteByExternalId: async ({ tenant, params, set }: ByExternalId & ReplyHeaders) => {
      await tenant.write((tx) => store.removeByExternalId(tx, params.externalId));
      delete set.headers["content-type"];
      return status(204, undefined);
    },

    put: async ({ tenant, params, body, set }: ByExternalId & { body: Put } & ReplyHeaders) => {
      const { row, isNew } = await tenant.write((tx) => store.put(tx, params.externalId, body));
      if (!isNew) return { data: present(row) };
      set.headers.location = `${path}/${row.id}`;
      return status(201, { data: present(row) });
    },
  };
}
