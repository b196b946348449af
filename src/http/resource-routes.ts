import { type TObject, type TSchema, Type } from "@sinclair/typebox";
import { type AccountReference, requireAccount } from "../accounts/reference.ts";
import type { ProblemCode } from "../core/errors.ts";
import type { Page } from "../core/list-query.ts";
import type { Upserted } from "../core/resource.ts";
import type { Tenant } from "../core/tenant.ts";
import { strictJson } from "./body.ts";
import { tenantRoutes } from "./guard.ts";
import { NoContent, problems, replies } from "./replies.ts";
import { dataOf, externalIdParameter, idParameter, pageOf } from "./shapes.ts";

/** What a kind of thing that hangs on accounts is called, looks like, and is kept by. */
export type ChildPlan<Row extends { id: number }, Listing, New, Changes> = {
  /** In a path and a sentence: `contacts`, `contact`. */
  plural: string;
  noun: string;
  /** The name of its shapes and operations: `Contact`. */
  title: string;
  shape: TSchema;
  page: TSchema;
  query: TObject;
  newBody: TObject;
  changesBody: TObject;
  putBody: TObject;
  /** What else than its `externalId` can be in use already. */
  conflicts?: readonly ProblemCode[];
  present(row: Row): object;
  list(tenant: Tenant, asked: Listing): Promise<Page<Row>>;
  store: {
    get(tenant: Tenant, id: number): Promise<Row>;
    getByExternalId(tenant: Tenant, externalId: string): Promise<Row>;
    create(tenant: Tenant, accountId: number, given: New): Promise<Row>;
    change(tenant: Tenant, id: number, given: Changes): Promise<Row>;
    put(tenant: Tenant, externalId: string, given: Changes & AccountReference): Promise<Upserted<Row>>;
    remove(tenant: Tenant, id: number): Promise<void>;
    removeByExternalId(tenant: Tenant, externalId: string): Promise<void>;
  };
};

/** The problems that a request without a body can meet, and those that one with a body can. */
const toAsked = [400, 401, 404, 500, 503] as const;
const toSent = [...toAsked, 413, 415] as const;

/** A delete means what its path says: a body, of whatever size and kind, is not read. */
const unread = { parse: "none" } as const;

/** The eight operations that every kind of thing that hangs on accounts has. */
export function childRoutes<Row extends { id: number }, Listing, New, Changes>(
  plan: ChildPlan<Row, Listing, New, Changes>,
) {
  const { plural, noun, title, conflicts = [], store, present } = plan;
  const Reply = dataOf(plan.shape, `${title}Reply`);
  const Conflict = problems("external_id_conflict", ...conflicts);
  const ofAccount = Type.Object({ accountId: idParameter("The account's id") });
  const idName = `${noun}Id`;
  const one = Type.Object({ [idName]: idParameter(`The ${noun}'s id`) });
  const external = Type.Object({ externalId: externalIdParameter(`The caller's own id of the ${noun}`) });
  const detail = (verb: string, summary: string, description: string) => ({
    tags: [`${title}s`],
    operationId: `${verb}${title}`,
    summary,
    description,
  });
  const at = (row: Row) => `/api/v1/${plural}/${row.id}`;

  return tenantRoutes("/api/v1")
    .get(
      `/accounts/:accountId/${plural}`,
      async ({ tenant, params, query }) => {
        // A list of nothing is not the answer for an account that is not there.
        await requireAccount(tenant.rows, { accountId: Number(params.accountId) });
        const asked = { ...query, ...pageOf(query), accountId: Number(params.accountId) };
        const { rows, pagination } = await plan.list(tenant, as<Listing>(asked));
        return { data: rows.map(present), pagination };
      },
      {
        params: ofAccount,
        query: plan.query,
        response: replies({ 200: plan.page }, ...toAsked),
        detail: {
          ...detail(
            "list",
            `List an account's ${plural}`,
            `A page of the ${plural} of one account. All given filters must hold. Every order ends in \`id\`, so pages never overlap; a page past the end is empty and carries the true total.`,
          ),
          operationId: `list${title}sOfAccount`,
        },
      },
    )
    .post(
      `/accounts/:accountId/${plural}`,
      async ({ tenant, params, body, set }) => {
        const row = await store.create(tenant, Number(params.accountId), as<New>(body));
        set.status = 201;
        set.headers.location = at(row);
        return { data: present(row) };
      },
      {
        parse: strictJson(plan.newBody),
        params: ofAccount,
        body: plan.newBody,
        response: replies({ 201: Reply, 409: Conflict }, ...toSent),
        detail: detail(
          "create",
          `Create a ${noun}`,
          `Adds a ${noun} to an account. Answered when it is on the disk. Members that are not listed are ignored.`,
        ),
      },
    )
    .get(
      `/${plural}/:${idName}`,
      async ({ tenant, params }) => ({ data: present(await store.get(tenant, Number(params[idName]))) }),
      {
        params: one,
        response: replies({ 200: Reply }, ...toAsked),
        detail: detail(
          "get",
          `Get a ${noun}`,
          `One ${noun}, by the id that the service gave it. A ${noun} of another organization is not found.`,
        ),
      },
    )
    .patch(
      `/${plural}/:${idName}`,
      async ({ tenant, params, body }) => ({
        data: present(await store.change(tenant, Number(params[idName]), as<Changes>(body))),
      }),
      {
        parse: strictJson(plan.changesBody),
        params: one,
        body: plan.changesBody,
        response: replies({ 200: Reply, 409: Conflict }, ...toSent),
        detail: detail(
          "update",
          `Update a ${noun}`,
          "Changes the members that are given and leaves the others. A change to what is stored already changes nothing, `updatedAt` included. A body without any listed member is refused with `no_valid_fields`.",
        ),
      },
    )
    .delete(
      `/${plural}/:${idName}`,
      async ({ tenant, params, set }) => {
        await store.remove(tenant, Number(params[idName]));
        set.status = 204;
        delete set.headers["content-type"];
      },
      {
        ...unread,
        params: one,
        response: replies({ 204: NoContent }, ...toAsked),
        detail: detail(
          "delete",
          `Delete a ${noun}`,
          `Removes the ${noun}, for good. After that it is not found, also by a second delete.`,
        ),
      },
    )
    .get(
      `/${plural}/external/:externalId`,
      async ({ tenant, params }) => ({
        data: present(await store.getByExternalId(tenant, params.externalId)),
      }),
      {
        params: external,
        response: replies({ 200: Reply }, ...toAsked),
        detail: {
          ...detail("get", `Get a ${noun} by your own id`, `One ${noun}, by its \`externalId\`.`),
          operationId: `get${title}ByExternalId`,
        },
      },
    )
    .delete(
      `/${plural}/external/:externalId`,
      async ({ tenant, params, set }) => {
        await store.removeByExternalId(tenant, params.externalId);
        set.status = 204;
        delete set.headers["content-type"];
      },
      {
        ...unread,
        params: external,
        response: replies({ 204: NoContent }, ...toAsked),
        detail: {
          ...detail("delete", `Delete a ${noun} by your own id`, `Removes the ${noun}, for good.`),
          operationId: `delete${title}ByExternalId`,
        },
      },
    )
    .put(
      `/${plural}/external/:externalId`,
      async ({ tenant, params, body, set }) => {
        const given = as<Changes & AccountReference>(body);
        const { row, created } = await store.put(tenant, params.externalId, given);
        if (created) {
          set.status = 201;
          set.headers.location = at(row);
        }
        return { data: present(row) };
      },
      {
        parse: strictJson(plan.putBody),
        params: external,
        body: plan.putBody,
        response: replies(
          // The row that has the externalId is the one to update: that it is in use is no conflict.
          { 200: Reply, 201: Reply, ...(conflicts.length > 0 && { 409: problems(...conflicts) }) },
          ...toSent,
        ),
        detail: detail(
          "put",
          `Create or update a ${noun} by your own id`,
          `Creates the ${noun} with this \`externalId\` (201), or updates it (200): members that are not given are left. A new one needs an account, by \`accountId\` or \`accountExternalId\`; an update that names another account moves it there.`,
        ),
      },
    );
}

function as<T>(value: object): T {
  // Safe: the value has passed the shape that stands beside the handler, which is T's.
  return value as T;
}
