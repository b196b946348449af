import { type TObject, Type } from "@sinclair/typebox";
import type { List } from "../../core/lists/list.ts";
import { requireAccount } from "../../core/resource/account-reference.ts";
import type { SubResourceStore } from "../../core/resource/sub-resource.ts";
import type { TenantSnapshot } from "../../core/tenant/transaction.ts";
import type { About } from "../guard/required-scope.ts";
import type { RowVersion } from "../replies/entity-tags.ts";
import { listReply } from "../replies/list-replies.ts";
import { replies } from "../replies/replies.ts";
import { accountFilter, listOf, pageOf } from "../validation/list-shapes.ts";
import { dataOf } from "../validation/shapes.ts";
import { accountOf, namedAccounts } from "./account-paths.ts";
import { createResourceRoutes, type ResourceContext, type ResourceQuery } from "./resource-routes.ts";
import { memberSelector, withFields } from "./selection.ts";
import type { SubResourceShapes } from "./sub-resource-shapes.ts";
import { readProblems, WriteQuery } from "./write-schemas.ts";

/** A kind of sub-resource. The schemas of its routes make the input of `list` and `store`. */
type SubResourceRoutes<Row extends RowVersion> = {
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
  const reply = dataOf(shape, `${title}Reply`);
  const page = listOf(shape, `${title}Page`);
  const viewOf = (row: Row, query: ResourceQuery) => memberSelector(query)(present(row));
  const writeQuery = withFields(shape, WriteQuery);
  const rows = createResourceRoutes<Row>({
    ...{ noun, title, root, conflicts: store.conflicts, hasAccount: true, bodies },
    replies: { get: reply, create: reply, update: reply },
    queries: { get: withFields(shape, Type.Object({})), create: writeQuery, update: writeQuery },
    async read(tenant, key, query) {
      const row = await tenant.readOne((snapshot) => store.get(snapshot, key));
      return { row, data: viewOf(row, query) };
    },
    ...{ tableName: store.tableName, lookUp: store.lookUp, readRows: store.readRows, get: store.get },
    ...{ update: store.update, put: store.put },
    create: (tx, input, params) => store.create(tx, accountOf(params), input),
    remove: async (tx, key) => store.remove(tx, await store.get(tx, key)),
    // Stored as a whole: an erasure finds the contacts in stored replies by their members.
    async view(_, row, query) {
      const whole = present(row);
      return { data: memberSelector(query)(whole), storedBody: { data: whole } };
    },
  });
  const { byId, byExternalId, addRead, addGet, addDelete } = rows;

  function addList(path: string, schema: TObject, ofAccount: TObject | undefined, about: About): void {
    const handler = async ({ tenant, params, query, request, set }: ResourceContext) => {
      // 404 instead of an empty list for an account that does not exist.
      const findOwner = async (snapshot: TenantSnapshot) => ({
        accountId: await requireAccount(snapshot, accountOf(params)),
      });
      const sent = { ...query, ...pageOf(query), ...(ofAccount && { accountId: 0 }) };
      const found = await list.readFor(tenant, sent, ofAccount && findOwner);
      return listReply({ request, set }, found.rows.map(present).map(memberSelector(query)), found);
    };
    const problems = ofAccount ? readProblems : ([400, 401, 500, 503] as const);
    const schemas = { query: withFields(shape, schema), ...(ofAccount && { params: ofAccount }) };
    addRead(path, handler, { ...schemas, response: replies({ 200: page }, ...problems) }, about);
  }

  for (const { path, params, aboutOf } of namedAccounts) {
    const description = `Returns a page of the ${plural} of one account.`;
    const about: About = [`list${title}sOfAccount`, `List an account's ${plural}`, description];
    const pathOfList = `/api/v1${path}/${plural}`;
    addList(pathOfList, query, params, aboutOf(about));
    rows.addCreate({ path: pathOfList, params, aboutOf }, `Adds a ${noun} to an account.`);
  }
  addGet(
    byId,
    `Returns a ${noun} by the id that the server assigned. A ${noun} of another organization is not found.`,
  );
  addDelete(byId, `Deletes the ${noun} permanently. A second delete is \`not_found\`.`);
  addGet(byExternalId, `Returns a ${noun} by its \`externalId\`.`);
  addDelete(byExternalId, `Deletes the ${noun} permanently.`);
  rows.addUpdate(byId);
  rows.addPut(
    `Creates the ${noun} with this \`externalId\` (201) or updates it (200). An update changes the fields that are sent and leaves the others. A create requires an account: \`accountId\` or \`accountExternalId\`. An update with another account moves the ${noun} to it.`,
  );
  addList(root, Type.Object({ ...query.properties, accountId: accountFilter(plural) }), undefined, [
    `list${title}s`,
    `List ${plural}`,
    `Returns a page of the ${plural} of the organization, or of one account. The page is empty for an account that does not exist.`,
  ]);
  return { routes: rows.routes, operations: rows.operations };
}
