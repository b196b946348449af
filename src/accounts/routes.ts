import { revenueOf } from "../account-counts/revenue.ts";
import { maxNumberedPageBytes, maxPageBytes } from "../core/lists/json-rows.ts";
import { extendedListReply } from "../http/replies/list-replies.ts";
import { replies } from "../http/replies/replies.ts";
import { createResourceRoutes, type ResourceContext } from "../http/resource/resource-routes.ts";
import { memberSelector } from "../http/resource/selection.ts";
import { pageOf } from "../http/validation/list-shapes.ts";
import { subResourceList, subResourceNames } from "../shared/resources.ts";
import {
  embeddedMembers,
  includesLists,
  includesTotals,
  placeOfIncluded,
  readIncludedInPage,
  readIncludedOfOne,
  wantedMembers,
} from "./included.ts";
import {
  AccountChangesBody,
  AccountListQuery,
  AccountPutBody,
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
import { type AccountRow, accountResource } from "./resource.ts";
import { countBatchedRows, countRowsOfAccount } from "./row-count.ts";
import { createAccount, deleteAccount, getAccount, putAccount, updateAccount } from "./store.ts";

const root = "/api/v1/accounts";
const rows = createResourceRoutes<AccountRow>({
  ...{ noun: "account", title: "Account", root, conflicts: accountResource.conflicts, hasAccount: false },
  bodies: { create: NewAccountBody, update: AccountChangesBody, put: AccountPutBody },
  replies: { get: AccountReply, create: CreatedAccountReply, update: UpdatedAccountReply },
  queries: { get: GetAccountQuery, create: CreateAccountQuery, update: UpdateAccountQuery },
  async read(tenant, key, query) {
    const wanted = wantedMembers(query, embeddedMembers);
    const { row, included } = await tenant.read(
      async (snapshot) => {
        const row = await getAccount(snapshot, key);
        return { row, included: await readIncludedOfOne(snapshot, row, wanted) };
      },
      { isOneStatement: wanted.size === 0, place: await placeOfIncluded(tenant, key, wanted) },
    );
    return { row, data: selectMembers(presentAccount(row), included, query) };
  },
  ...{ tableName: accountResource.tableName, lookUp: accountResource.lookUp },
  ...{ get: accountResource.get, readRows: accountResource.readRows },
  ...{ create: createAccount, update: updateAccount, put: putAccount },
  async remove(tx, key, isInBatch) {
    if (isInBatch) await countBatchedRows(tx, key);
    await deleteAccount(tx, key);
  },
  countRemoved: (tenant, key) => tenant.readOne((snapshot) => countRowsOfAccount(snapshot, key)),
  async view(tx, row, query, shape) {
    const view = shape === "create" ? presentCreated(row) : presentUpdated(row);
    const included = await readIncludedOfOne(tx, row, wantedMembers(query));
    return { data: selectMembers(view, included, query) };
  },
});
const { byId, byExternalId, addRead, addGet, addUpdate, addDelete } = rows;

async function listAccounts({ tenant, query, request, set }: ResourceContext) {
  const wanted = wantedMembers(query);
  if (wanted.has("health") || readsScores(query)) await tenant.runJob("scores");
  const reader = accountList.request({ ...query, ...pageOf(query) }, tenant.now);
  const hasTotals = includesTotals(query);
  const place = includesLists(wanted) || hasTotals ? "reader" : reader.place;
  const isOneStatement = reader.isOneStatement && wanted.size === 0 && !hasTotals;
  const maxLength = query.cursor === undefined ? maxNumberedPageBytes : maxPageBytes;
  const { page, included, totals } = await tenant.readList(
    { cursor: query.cursor, place, isOneStatement },
    async (snapshot) => {
      const page = await reader.read(snapshot);
      const included =
        wanted.size > 0 ? await readIncludedInPage(snapshot, page.rows, { wanted, maxLength }) : undefined;
      const totals = hasTotals ? await reader.readTotals(snapshot) : undefined;
      return { page, included, totals };
    },
  );
  const { rows } = page;
  const shown = included ? rows.slice(0, included.length) : rows;
  const select = memberSelector(query);
  const views = shown.map((row, i) => select(addIncluded(presentListed(row), included?.[i])));
  const more = totals && { totals: revenueOf({ accounts: totals.count, scaledMrr: totals.scaledMrr ?? 0 }) };
  return extendedListReply({ request, set }, views, { ...page, rowCount: rows.length }, more ?? {});
}

addRead(
  root,
  listAccounts,
  { query: AccountListQuery, response: replies({ 200: AccountPage }, 400, 401, 500, 503) },
  [
    "listAccounts",
    "List accounts",
    "Returns a page of the organization's accounts. `contactActivityAt.lt=-30d`: not seen for 30 days; `none`: never seen.",
  ],
);
addGet(
  byId,
  "Returns the account with its contacts, recent meetings and requests. An account of another organization is not found.",
);
rows.addCreate(
  { path: root },
  "Creates an account and, with `contactName` or `contactEmail`, its first contact in the same transaction.",
);
addUpdate(byId);
addDelete(
  byId,
  `Deletes the account permanently, with its ${subResourceNames.join(", ")}, events, usage and health. Events and usage are deleted in steps after the response. The external ids can be used again at once. The change feed gets one \`account.deleted\`.`,
);
addGet(byExternalId, `Returns the account with this \`externalId\`, with its ${subResourceList}.`);
addUpdate(byExternalId, "Updates the fields that are sent. The body may change `externalId` itself.");
rows.addPut(
  "Creates the account with this `externalId` (201) or updates it (200). An update changes the fields that are sent and leaves the others. Pending usage events with this id are attached to a new account.",
);
addDelete(
  byExternalId,
  "Deletes the account with this `externalId` permanently, with everything that belongs to it.",
);

/** The operations on accounts, and the writes of them that batches may have. */
export const { routes: accountRoutes, operations: accountOperations } = rows;
