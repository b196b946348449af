import { type Context, status } from "elysia";
import { requireAccount } from "../accounts/reference.ts";
import type { Page } from "../core/list-query.ts";
import type { Upserted } from "../core/resource.ts";
import type { Tenant } from "../core/tenant.ts";
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
  /** Where its rows are: `/api/v1/contacts`. */
  path: string;
  /** The parameter of its paths: `contactId`. */
  idName: IdName;
  present: (row: Row) => View;
  list: (tenant: Tenant, accountId: number, query: Query) => Promise<Page<Row>>;
  store: {
    get: (tenant: Tenant, id: number) => Promise<Row>;
    getByExternalId: (tenant: Tenant, externalId: string) => Promise<Row>;
    create: (tenant: Tenant, accountId: number, input: New) => Promise<Row>;
    change: (tenant: Tenant, id: number, input: Changes) => Promise<Row>;
    put: (tenant: Tenant, externalId: string, input: Put) => Promise<Upserted<Row>>;
    remove: (tenant: Tenant, id: number) => Promise<void>;
    removeByExternalId: (tenant: Tenant, externalId: string) => Promise<void>;
  };
};

/** The members of Elysia's context that the handlers destructure. */
type TenantRequest<Params> = { tenant: Tenant; params: Params };
type OfAccount = TenantRequest<{ accountId: WholeNumber }>;
type ByExternalId = TenantRequest<{ externalId: string }>;
type ReplyHeaders = Pick<Context, "set">;

/**
 * The handlers of the eight operations on a sub-resource. The routes pair them with the schemas of
 * `resourceSchemas` under literal paths: there Elysia compares their types.
 */
export function resourceHandlers<
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
      // An account that does not exist is 404, not an empty list.
      await requireAccount(tenant.rows, { accountId });
      const { rows, pagination } = await verbs.list(tenant, accountId, query);
      return { data: rows.map(present), pagination };
    },

    create: async ({ tenant, params, body, set }: OfAccount & { body: New } & ReplyHeaders) => {
      const row = await store.create(tenant, Number(params.accountId), body);
      set.headers.location = `${path}/${row.id}`;
      return status(201, { data: present(row) });
    },

    get: async ({ tenant, params }: ById) => ({
      data: present(await store.get(tenant, Number(params[idName]))),
    }),

    update: async ({ tenant, params, body }: ById & { body: Changes }) => ({
      data: present(await store.change(tenant, Number(params[idName]), body)),
    }),

    delete: async ({ tenant, params, set }: ById & ReplyHeaders) => {
      await store.remove(tenant, Number(params[idName]));
      delete set.headers["content-type"];
      return status(204, undefined);
    },

    getByExternalId: async ({ tenant, params }: ByExternalId) => ({
      data: present(await store.getByExternalId(tenant, params.externalId)),
    }),

    deleteByExternalId: async ({ tenant, params, set }: ByExternalId & ReplyHeaders) => {
      await store.removeByExternalId(tenant, params.externalId);
      delete set.headers["content-type"];
      return status(204, undefined);
    },

    put: async ({ tenant, params, body, set }: ByExternalId & { body: Put } & ReplyHeaders) => {
      const { row, created } = await store.put(tenant, params.externalId, body);
      if (!created) return { data: present(row) };
      set.headers.location = `${path}/${row.id}`;
      return status(201, { data: present(row) });
    },
  };
}
