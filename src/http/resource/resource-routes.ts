import { type TObject, type TSchema, Type } from "@sinclair/typebox";
import type { Context } from "elysia";
import type { List } from "../../core/lists/list.ts";
import { requireAccount } from "../../core/resource/account-reference.ts";
import type { SubResourceStore } from "../../core/resource/sub-resource.ts";
import type { WriteReply } from "../../core/tenant/idempotency.ts";
import type { Tenant } from "../../core/tenant/tenant.ts";
import type { TenantSnapshot, TenantTransaction } from "../../core/tenant/transaction.ts";
import { strictJson } from "../body/body.ts";
import { tenantRoutes } from "../guard/guard.ts";
import { requires } from "../guard/required-scope.ts";
import { conditionalReply, type RowVersion } from "../replies/entity-tags.ts";
import { listReply } from "../replies/list-replies.ts";
import { NoContent, NotModified, replies } from "../replies/replies.ts";
import { accountFilter, listOf, pageOf } from "../validation/list-shapes.ts";
import { AccountPath, dataOf, externalIdParameter, idPath, type WholeNumber } from "../validation/shapes.ts";
import type { Preconditions } from "./preconditions.ts";
import { memberSelector, withFields } from "./selection.ts";
import type { SubResourceShapes } from "./sub-resource-shapes.ts";
import { created, deleted, handleWrite, ok, type RunWrite } from "./write.ts";
import { defineOperation, type WriteMethod, type WriteOperation } from "./write-operations.ts";
import {
  bodyProblems,
  ignoredBody,
  readProblems,
  WriteQuery,
  writeProblems,
  writeReplies,
} from "./write-schemas.ts";

type Params = Record<string, WholeNumber>;
type Query = { fields?: string; accountId?: WholeNumber } & Parameters<typeof pageOf>[0];
type SubResourceContext = { tenant: Tenant; params: Params; query: Query } & Pick<Context, "request" | "set">;
type Run = RunWrite<Params, never, WriteReply>;

/** A kind of sub-resource. The schemas of its routes make the input of `list` and `store`. */
export type SubResourceRoutes<Row extends RowVersion> = {
  /** In paths and sentences: `contacts`, `contact`. */
  plural: string;
  noun: string;
  /** In the names of its schemas and operations: `Contact`. */
  title: string;
  shapes: SubResourceShapes;
  list: Pick<List<Row, string>, "readFor">;
  store: SubResourceStore<Row>;
};

/** The nine operations on a sub-resource, and the writes of them that batches may have. */
export function createSubResourceRoutes<Row extends RowVersion>({
  plural,
  noun,
  title,
  shapes: { row: shape, query, bodies, present },
  list,
  store,
}: SubResourceRoutes<Row>) {
  const root = `/api/v1/${plural}`;
  const pathOfAccount = `/api/v1/accounts/:accountId/${plural}`;
  const idName = `${noun}Id`;
  const idOf = (params: Params) => Number(params[idName]);
  const externalIdOf = ({ externalId }: Params) => String(externalId);
  const byId = {
    path: `${root}/:${idName}`,
    params: idPath(idName, `The ${noun}'s id`),
    find: (tx: TenantTransaction, params: Params) => store.find(tx, idOf(params)),
    get: (snapshot: TenantSnapshot, params: Params) => store.get(snapshot, idOf(params)),
    about: `by the id that the server assigned. A ${noun} of another organization is not found.`,
    aboutDelete: " A second delete is `not_found`.",
    suffix: ["", ""],
  };
  // Safe: both are objects of parameters.
  const byExternalId: typeof byId = {
    path: `${root}/external/:externalId`,
    params: Type.Object({ externalId: externalIdParameter(`The ${noun}'s externalId`) }) as never,
    find: (tx, params) => store.findByExternalId(tx, externalIdOf(params)),
    get: (snapshot, params) => store.getByExternalId(snapshot, externalIdOf(params)),
    about: "by its `externalId`.",
    aboutDelete: "",
    suffix: ["ByExternalId", " by your own id"],
  };
  const reply = dataOf(shape, `${title}Reply`);
  const page = listOf(shape, `${title}Page`);
  // A PUT updates the row with its externalId.
  const conflictsOfPut = store.conflicts.filter((code) => code !== "external_id_conflict");
  const view = (row: Row, query: Query) => memberSelector(query)(present(row));
  // Stored as a whole: an erasure finds the contacts in stored replies by their members.
  const storedBody = (row: Row) => ({ storedBody: { data: present(row) } });
  const operations: WriteOperation[] = [];
  const routes = tenantRoutes("");

  /** The name, summary and description of an operation. */
  type About = [operationId: string, summary: string, description: string];
  const detailOf = (scope: "read" | "write", [operationId, summary, description]: About) => ({
    detail: { tags: [`${title}s`], security: requires(scope), operationId, summary, description },
  });

  function addList(path: string, schema: TObject, ofAccount: TObject | undefined, about: About): void {
    const handler = async ({ tenant, params, query, request, set }: SubResourceContext) => {
      const id = ofAccount ? params.accountId : query.accountId;
      const accountId = id === undefined ? undefined : Number(id);
      // 404 instead of an empty list for an account that does not exist.
      const check = ofAccount && ((snapshot: TenantSnapshot) => requireAccount(snapshot, { accountId }));
      const sent = { ...query, ...pageOf(query), accountId };
      const { rows, pagination } = await list.readFor(tenant, sent, check);
      return listReply({ request, set }, rows.map(present).map(memberSelector(query)), pagination);
    };
    const problems = ofAccount ? readProblems : ([400, 401, 500, 503] as const);
    const schemas = {
      query: withFields(shape, schema),
      ...(ofAccount && { params: ofAccount }),
      response: replies({ 200: page }, ...problems),
    };
    // Safe: the handler gets what the schemas accept.
    routes.route("GET", path, handler as never, { ...schemas, ...detailOf("read", about) });
  }

  function addWrite(
    method: WriteMethod,
    { path, params }: { path: string; params: TObject },
    { run, body, response }: { run: Run; body?: TObject; response: Record<number, TSchema> },
    about: About,
    existing?: Preconditions<Params>,
  ): void {
    operations.push(defineOperation(method, path, { params, ...(body && { body }) }, run as never));
    const input = body
      ? { parse: strictJson(body), body, query: withFields(shape, WriteQuery) }
      : { ...ignoredBody, query: WriteQuery };
    const schemas = { ...input, params, response, ...detailOf("write", about) };
    routes.route(method, path, handleWrite(run, existing) as never, schemas as object);
  }

  addList(pathOfAccount, query, AccountPath, [
    `list${title}sOfAccount`,
    `List an account's ${plural}`,
    `Returns a page of the ${plural} of one account.`,
  ]);
  addWrite(
    "POST",
    { path: pathOfAccount, params: AccountPath },
    {
      body: bodies.create,
      response: writeReplies({ 201: reply }, store.conflicts, ...bodyProblems),
      run: async (tx, { params, query, body }) => {
        const row = await store.create(tx, Number(params.accountId), body);
        return { ...created(`${root}/${row.id}`, view(row, query), row), ...storedBody(row) };
      },
    },
    [`create${title}`, `Create a ${noun}`, `Adds a ${noun} to an account.`],
  );
  for (const { path, params, find, get, about, aboutDelete, suffix } of [byId, byExternalId]) {
    const [name, key] = suffix;
    const handler = async ({ tenant, params, query, request, set }: SubResourceContext) => {
      const row = await tenant.readOne((snapshot) => get(snapshot, params));
      return conditionalReply({ request, set }, row, { data: view(row, query) });
    };
    routes.route("GET", path, handler as never, {
      params,
      query: withFields(shape, Type.Object({})),
      response: replies({ 200: reply, 304: NotModified }, ...readProblems),
      ...detailOf("read", [`get${title}${name}`, `Get a ${noun}${key}`, `Returns a ${noun} ${about}`]),
    });
    addWrite(
      "DELETE",
      { path, params },
      {
        response: writeReplies({ 204: NoContent }, [], ...readProblems, 412),
        run: async (tx, { params }) => {
          await store.remove(tx, await get(tx, params));
          return deleted;
        },
      },
      [`delete${title}${name}`, `Delete a ${noun}${key}`, `Deletes the ${noun} permanently.${aboutDelete}`],
      { find },
    );
  }
  addWrite(
    "PATCH",
    byId,
    {
      body: bodies.update,
      response: writeReplies({ 200: reply }, store.conflicts, ...writeProblems),
      run: async (tx, { params, query, body }) => {
        const row = await store.update(tx, idOf(params), body);
        return { ...ok(view(row, query), row), ...storedBody(row) };
      },
    },
    [
      `update${title}`,
      `Update a ${noun}`,
      "Changes the members that are sent and leaves the others. When every value equals the stored one, nothing changes, `updatedAt` included. A body without any listed member is rejected with `no_valid_fields`.",
    ],
    byId,
  );
  addWrite(
    "PUT",
    byExternalId,
    {
      body: bodies.put,
      response: writeReplies({ 200: reply, 201: reply }, conflictsOfPut, ...writeProblems),
      run: async (tx, { params, query, body }) => {
        const { row, isNew } = await store.put(tx, externalIdOf(params), body);
        const data = view(row, query);
        const reply = isNew ? created(`${root}/${row.id}`, data, row) : ok(data, row);
        return { ...reply, ...storedBody(row) };
      },
    },
    [
      `put${title}`,
      `Create or update a ${noun} by your own id`,
      `Creates the ${noun} with this \`externalId\` (201) or updates it (200). An update changes the members that are sent and leaves the others. A create requires an account: \`accountId\` or \`accountExternalId\`. An update with another account moves the ${noun} to it.`,
    ],
    { ...byExternalId, canCreate: true },
  );
  addList(root, Type.Object({ ...query.properties, accountId: accountFilter(plural) }), undefined, [
    `list${title}s`,
    `List ${plural}`,
    `Returns a page of the ${plural} of the organization, or of one account. The page is empty for an account that does not exist.`,
  ]);
  return { routes, operations };
}
