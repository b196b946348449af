import { type TObject, type TProperties, Type } from "@sinclair/typebox";
import type { ProblemCode } from "../../core/errors.ts";
import { strictJson } from "../body/body.ts";
import { requires } from "../guard/required-scope.ts";
import { NoContent, NotModified, replies } from "../replies/replies.ts";
import { accountFilter, listOf } from "../validation/list-shapes.ts";
import { AccountPath, dataOf, externalIdParameter, idPath } from "../validation/shapes.ts";
import { withFields } from "./selection.ts";
import { WriteQuery, writeReplies } from "./write-schemas.ts";

/** The names of a sub-resource in its paths and in the OpenAPI document. */
export type ResourceNames<IdName extends string, Conflict extends ProblemCode> = {
  /** In paths and sentences: `contacts`, `contact`. */
  plural: string;
  noun: string;
  /** In the names of its schemas and operations: `Contact`. */
  title: string;
  /** The parameter for the id in its paths: `contactId`. */
  idName: IdName;
  /** Its conflicts, except the one of `externalId`. */
  conflicts?: readonly Conflict[];
};
/** The schemas of the resource and of the input of its operations. One type parameter for all would widen them. */
export type ResourceShapes<Resource, Query, Create, Update, Put> = {
  resource: Resource;
  query: Query;
  create: Create;
  update: Update;
  put: Put;
};

/** The statuses of the problems of a request without a body, and with a body. */
export const readProblems = [400, 401, 404, 500, 503] as const;
export const bodyProblems = [...readProblems, 413, 415] as const;
export const writeProblems = [...bodyProblems, 412] as const;

/** The schemas of the nine operations on a sub-resource, for the routes with `createResourceHandlers`. */
export function createResourceSchemas<
  const IdName extends string,
  Resource extends TObject,
  Query extends TProperties,
  Create extends TObject,
  Update extends TObject,
  Put extends TObject,
  const Conflict extends ProblemCode = never,
>(
  { plural, noun, title, idName, conflicts = [] }: ResourceNames<IdName, Conflict>,
  { resource, query, create, update, put }: ResourceShapes<Resource, TObject<Query>, Create, Update, Put>,
) {
  const path = idPath(idName, `The ${noun}'s id`);
  const externalPath = Type.Object({ externalId: externalIdParameter(`The ${noun}'s externalId`) });
  const selection = withFields(resource, Type.Object({}));
  const writeQuery = withFields(resource, WriteQuery);
  const reply = dataOf(resource, `${title}Reply`);
  const page = listOf(resource, `${title}Page`);
  const allConflicts = ["external_id_conflict", ...conflicts] as const;
  const detail = (operationId: string, summary: string, description: string) => ({
    tags: [`${title}s`],
    security: requires(/^(?:get|list)/.test(operationId) ? "read" : "write"),
    operationId,
    summary,
    description,
  });

  return {
    listAll: {
      query: withFields(resource, Type.Object({ ...query.properties, accountId: accountFilter(plural) })),
      response: replies({ 200: page }, 400, 401, 500, 503),
      detail: detail(
        `list${title}s`,
        `List ${plural}`,
        `Returns a page of the ${plural} of the organization, or of one account. The page is empty for an account that does not exist.`,
      ),
    },
    list: {
      params: AccountPath,
      query: withFields(resource, query),
      response: replies({ 200: page }, ...readProblems),
      detail: detail(
        `list${title}sOfAccount`,
        `List an account's ${plural}`,
        `Returns a page of the ${plural} of one account.`,
      ),
    },
    create: {
      parse: strictJson(create),
      params: AccountPath,
      query: writeQuery,
      body: create,
      response: writeReplies({ 201: reply }, allConflicts, ...bodyProblems),
      detail: detail(`create${title}`, `Create a ${noun}`, `Adds a ${noun} to an account.`),
    },
    get: {
      params: path,
      query: selection,
      response: replies({ 200: reply, 304: NotModified }, ...readProblems),
      detail: detail(
        `get${title}`,
        `Get a ${noun}`,
        `Returns a ${noun} by the id that the server assigned. A ${noun} of another organization is not found.`,
      ),
    },
    update: {
      parse: strictJson(update),
      params: path,
      query: writeQuery,
      body: update,
      response: writeReplies({ 200: reply }, allConflicts, ...writeProblems),
      detail: detail(
        `update${title}`,
        `Update a ${noun}`,
        "Changes the members that are sent and leaves the others. When every value equals the stored one, nothing changes, `updatedAt` included. A body without any listed member is rejected with `no_valid_fields`.",
      ),
    },
    delete: {
      ...ignoredBody,
      params: path,
      query: WriteQuery,
      response: writeReplies({ 204: NoContent }, [], ...readProblems, 412),
      detail: detail(
        `delete${title}`,
        `Delete a ${noun}`,
        `Deletes the ${noun} permanently. A second delete is \`not_found\`.`,
      ),
    },
    getByExternalId: {
      params: externalPath,
      query: selection,
      response: replies({ 200: reply, 304: NotModified }, ...readProblems),
      detail: detail(
        `get${title}ByExternalId`,
        `Get a ${noun} by your own id`,
        `Returns a ${noun} by its \`externalId\`.`,
      ),
    },
    deleteByExternalId: {
      ...ignoredBody,
      params: externalPath,
      query: WriteQuery,
      response: writeReplies({ 204: NoContent }, [], ...readProblems, 412),
      detail: detail(
        `delete${title}ByExternalId`,
        `Delete a ${noun} by your own id`,
        `Deletes the ${noun} permanently.`,
      ),
    },
    put: {
      parse: strictJson(put),
      params: externalPath,
      query: writeQuery,
      body: put,
      // A row with this externalId is updated, so it is no conflict.
      response: writeReplies({ 200: reply, 201: reply }, conflicts, ...writeProblems),
      detail: detail(
        `put${title}`,
        `Create or update a ${noun} by your own id`,
        `Creates the ${noun} with this \`externalId\` (201) or updates it (200). An update changes the members that are sent and leaves the others. A create requires an account: \`accountId\` or \`accountExternalId\`. An update with another account moves the ${noun} to it.`,
      ),
    },
  };
}

/** For DELETE, whose body is not read. */
export const ignoredBody = { parse: "none" } as const;
