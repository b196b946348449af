import { type TObject, type TSchema, Type } from "@sinclair/typebox";
import type { Context } from "elysia";
import type { ProblemCode, Status } from "../../core/problem-types.ts";
import { type AccountReference, keepAccounts } from "../../core/resource/account-reference.ts";
import type { RowKey } from "../../core/resource/resource.ts";
import type { WriteReply } from "../../core/tenant/idempotency.ts";
import type { LookUp, Tenant } from "../../core/tenant/tenant.ts";
import type { TenantTransaction } from "../../core/tenant/transaction.ts";
import { strictJson } from "../body/body.ts";
import { tenantRoutes } from "../guard/guard.ts";
import { type About, detailOf } from "../guard/required-scope.ts";
import { conditionalReply, type RowVersion } from "../replies/entity-tags.ts";
import { NoContent, NotModified, replies } from "../replies/replies.ts";
import type { pageOf } from "../validation/list-shapes.ts";
import { externalIdParameter, idPath, type WholeNumber } from "../validation/shapes.ts";
import { accountOf, type NamedAccount } from "./account-paths.ts";
import { created, deleted, handleWrite, ok, type WriteOf, type WriteTarget } from "./write.ts";
import type { ReadKeys, WriteMethod, WriteOperation } from "./write-operations.ts";
import {
  bodyProblems,
  ignoredBody,
  readProblems,
  WriteQuery,
  writeProblems,
  writeReplies,
} from "./write-schemas.ts";

type ResourceParams = Record<string, WholeNumber>;
type RequestedPage = Parameters<typeof pageOf>[0];
export type ResourceQuery = RequestedPage & { fields?: string; include?: string; accountId?: WholeNumber };
export type ResourceContext = Pick<Context, "request" | "set"> & {
  tenant: Tenant;
  params: ResourceParams;
  query: ResourceQuery;
};
type ResourceWrite = WriteOf<ResourceParams, never, WriteReply>;
type ReadInput = { params: ResourceParams; body: AccountReference };
/** A path that names a row, by its id or its external id. */
type KeyedPath = {
  path: string;
  params: TObject;
  keyOf(params: ResourceParams): RowKey;
  /** How the name and the summary of an operation end. */
  suffix: readonly [name: string, summary: string];
};

/** A kind of row. The schemas of its routes make the input of its verbs, which throw `not_found` for a row that does not exist. */
type ResourceRoutes<Row extends RowVersion> = {
  /** `contact`, `Contact`, `/api/v1/contacts`. */
  noun: string;
  title: string;
  root: string;
  conflicts: readonly ProblemCode[];
  /** Whether a create or a put can refer to an account that does not exist. */
  hasAccount: boolean;
  bodies: { create: TObject; update: TObject; put: TObject };
  /** The reply to a GET, to a create, and to an update or a put. */
  replies: { get: TSchema; create: TSchema; update: TSchema };
  queries: { get: TObject; create: TObject; update: TObject };
  read(tenant: Tenant, key: RowKey, query: ResourceQuery): Promise<{ row: RowVersion; data: object }>;
  tableName: string;
  lookUp(key: RowKey): LookUp<Row>;
  readRows(tx: TenantTransaction, keys: readonly RowKey[]): Promise<void>;
  create(tx: TenantTransaction, input: object, params: ResourceParams): Promise<Row>;
  update(tx: TenantTransaction, key: RowKey, input: object): Promise<Row>;
  put(tx: TenantTransaction, externalId: string, input: object): Promise<{ row: Row; isNew: boolean }>;
  get(tx: TenantTransaction, key: RowKey): Promise<Row>;
  remove(tx: TenantTransaction, key: RowKey, isInBatch: boolean): Promise<void>;
  /** The number of rows that are deleted with one, if these can be many. */
  countRemoved?(tenant: Tenant, key: RowKey): Promise<number>;
  /** The data of the reply to a write, and the body that is stored for a replay if it differs. */
  view(
    tx: TenantTransaction,
    row: Row,
    query: ResourceQuery,
    shape: "create" | "update",
  ): Promise<{ data: object; storedBody?: object }>;
};

const aboutUpdate =
  "Changes the fields that are sent and leaves the others. When every value equals the stored one, nothing changes, `updatedAt` included. A body without any listed field is rejected with `no_valid_fields`.";

/** Returns functions that add the operations on rows to `routes`, and the writes that batches may have to `operations`. */
export function createResourceRoutes<Row extends RowVersion>(definition: ResourceRoutes<Row>) {
  const { noun, title, root, conflicts, hasAccount, bodies, replies: shapes, queries } = definition;
  const operations: WriteOperation[] = [];
  const routes = tenantRoutes("");
  const idName = `${noun}Id`;
  const aNoun = `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`;
  const byId: KeyedPath = {
    path: `${root}/:${idName}`,
    params: idPath(idName, `The ${noun}'s id`),
    keyOf: (params) => Number(params[idName]),
    suffix: ["", ""],
  };
  const byExternalId: KeyedPath = {
    path: `${root}/external/:externalId`,
    params: Type.Object({ externalId: externalIdParameter(`The ${noun}'s externalId`) }),
    keyOf: ({ externalId }) => String(externalId),
    suffix: ["ByExternalId", " by your own id"],
  };
  const aboutOf = (verb: string, { suffix: [name, byKey] }: KeyedPath, description: string): About => [
    `${verb.toLowerCase()}${title}${name}`,
    `${verb} ${aNoun}${byKey}`,
    description,
  ];
  const withoutAccount = (statuses: readonly Status[]) =>
    statuses.filter((status) => hasAccount || status !== 404);
  const existing = ({ keyOf }: KeyedPath, more?: { canCreate: boolean }) => ({
    preconditions: { lookUp: (params: ResourceParams) => definition.lookUp(keyOf(params)), ...more },
    keysOf: ({ params, body }: ReadInput): ReadKeys => ({
      row: keyOf(params),
      ...(hasAccount && { account: body }),
    }),
  });

  async function readRows(tx: TenantTransaction, keys: readonly ReadKeys[]): Promise<void> {
    await definition.readRows(tx, [...new Set(keys.flatMap(({ row }) => row ?? []))]);
    await keepAccounts(
      tx,
      keys.flatMap(({ account }) => account ?? []),
    );
  }

  async function replyTo(
    tx: TenantTransaction,
    { row, isNew }: { row: Row; isNew: boolean },
    { query, isRowOmitted }: Pick<Parameters<ResourceWrite>[0], "query" | "isRowOmitted">,
    shape: "create" | "update",
  ): Promise<WriteReply> {
    if (isRowOmitted) return { status: isNew ? 201 : 200, body: { data: { id: row.id } } };
    const { data, ...stored } = await definition.view(tx, row, query, shape);
    return { ...(isNew ? created(`${root}/${row.id}`, data, row) : ok(data, row)), ...stored };
  }

  function addRead(
    path: string,
    handler: (context: ResourceContext) => unknown,
    schemas: object,
    about: About,
  ): void {
    // Safe: the handler gets what the schemas accept.
    routes.route("GET", path, handler as never, {
      ...schemas,
      detail: detailOf(`${title}s`, "read")(...about),
    });
  }

  function addWrite(
    method: WriteMethod,
    path: { path: string; params?: TObject | undefined },
    schemas: { body?: TObject; query: TObject; response: Record<number, TSchema> },
    writeOf: ResourceWrite,
    about: About,
    { keysOf, ...target }: WriteTarget<ResourceParams> & { keysOf?: (input: ReadInput) => ReadKeys },
  ): void {
    const params = path.params && { params: path.params };
    operations.push({
      ...{ method, path: path.path, scope: "write", params: path.params, body: schemas.body },
      // Safe: a batch validates the parameters and the body.
      ...(keysOf && { reads: { keysOf: keysOf as never, readRows } }),
      writeOf: writeOf as unknown as WriteOperation["writeOf"],
    });
    const parse = schemas.body ? { parse: strictJson(schemas.body) } : ignoredBody;
    const hooks = { ...parse, ...params, ...schemas, detail: detailOf(`${title}s`, "write")(...about) };
    routes.route(method, path.path, handleWrite(writeOf, target) as never, hooks as object);
  }

  return {
    routes,
    operations,
    byId,
    byExternalId,
    addRead,

    addGet(key: KeyedPath, description: string): void {
      const handler = async ({ tenant, params, query, request, set }: ResourceContext) => {
        const { row, data } = await definition.read(tenant, key.keyOf(params), query);
        return conditionalReply({ request, set }, row, { data });
      };
      const response = replies({ 200: shapes.get, 304: NotModified }, ...readProblems);
      const schemas = { params: key.params, query: queries.get, response };
      addRead(key.path, handler, schemas, aboutOf("Get", key, description));
    },

    addCreate(
      { path, params, aboutOf: describe = (about) => about }: { path: string } & Partial<NamedAccount>,
      description: string,
    ): void {
      const response = writeReplies({ 201: shapes.create }, conflicts, ...withoutAccount(bodyProblems));
      const schemas = { body: bodies.create, query: queries.create, response };
      const writeOf: ResourceWrite = (input) => async (tx) => {
        const row = await definition.create(tx, input.body, input.params);
        return replyTo(tx, { row, isNew: true }, input, "create");
      };
      const keysOf = ({ params }: ReadInput) => ({ account: accountOf(params) });
      const target = { insertsInto: definition.tableName, ...(hasAccount && { keysOf }) };
      const about = describe(aboutOf("Create", byId, description));
      addWrite("POST", { path, params }, schemas, writeOf, about, target);
    },

    addUpdate(key: KeyedPath, description = aboutUpdate): void {
      const response = writeReplies({ 200: shapes.update }, conflicts, ...writeProblems);
      const schemas = { body: bodies.update, query: queries.update, response };
      const writeOf: ResourceWrite = (input) => async (tx) => {
        const row = await definition.update(tx, key.keyOf(input.params), input.body);
        return replyTo(tx, { row, isNew: false }, input, "update");
      };
      addWrite("PATCH", key, schemas, writeOf, aboutOf("Update", key, description), existing(key));
    },

    addDelete(key: KeyedPath, description: string): void {
      const response = writeReplies({ 204: NoContent }, [], ...readProblems, 412);
      const writeOf: ResourceWrite =
        ({ params, query, isInBatch = false }) =>
        async (tx) => {
          const rowKey = key.keyOf(params);
          // A dry run of a batch has no query: its later operations see the deletion.
          if (query.dryRun === "true") await definition.get(tx, rowKey);
          else await definition.remove(tx, rowKey, isInBatch);
          return deleted;
        };
      const about = aboutOf("Delete", key, description);
      const { countRemoved } = definition;
      addWrite("DELETE", key, { query: WriteQuery, response }, writeOf, about, {
        ...existing(key),
        countRows: countRemoved && ((tenant, params) => countRemoved(tenant, key.keyOf(params))),
      });
    },

    addPut(description: string): void {
      // The row with the externalId is updated.
      const others = conflicts.filter((code) => code !== "external_id_conflict");
      const successes = { 200: shapes.update, 201: shapes.update };
      const response = writeReplies(successes, others, ...withoutAccount(writeProblems));
      const schemas = { body: bodies.put, query: queries.update, response };
      const writeOf: ResourceWrite = (input) => async (tx) =>
        replyTo(tx, await definition.put(tx, String(input.params.externalId), input.body), input, "update");
      const about: About = [`put${title}`, `Create or update ${aNoun} by your own id`, description];
      addWrite("PUT", byExternalId, schemas, writeOf, about, existing(byExternalId, { canCreate: true }));
    },
  };
}
