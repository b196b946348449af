import type { AttributeResource } from "../../db/schema.ts";
import { readIncludedInPage } from "../accounts/included.ts";
import { accountList } from "../accounts/list.ts";
import { contactList } from "../contacts/store.ts";
import { readAccountExternalIds } from "../core/account-reference.ts";
import { readAllAttributeTypes } from "../core/attribute-names.ts";
import { NO_ATTRIBUTES } from "../core/attributes.ts";
import type { CursorPosition } from "../core/cursor.ts";
import type { TenantSnapshot } from "../core/tenant.ts";
import { featureRequestList } from "../feature-requests/store.ts";
import { meetingList } from "../meetings/store.ts";
import { columnsOf, type ExportedResource, type ExportedRow, presentRow } from "./columns.ts";
import { attributePrefix, type ExportFormat, formatHeader, formatRows } from "./formats.ts";

/** Rows of one slice: a few milliseconds, after which other requests are answered. */
const rowsPerSlice = 200;

const attributedResources: { [Resource in ExportedResource]?: AttributeResource } = {
  accounts: "account",
  contacts: "contact",
};

/** The order and the filters of a list. */
export type ExportQuery = Readonly<Record<string, string | number | undefined>>;
type Slice = { after: CursorPosition | undefined; limit: number };
type ReadSlice = (
  snapshot: TenantSnapshot,
  query: ExportQuery,
  slice: Slice,
) => Promise<{ rows: ExportedRow[]; last: CursorPosition | undefined }>;

const readers: Record<ExportedResource, ReadSlice> = {
  async accounts(snapshot, query, slice) {
    const { rows, last } = await accountList.readSlice(snapshot, query, slice);
    const included = await readIncludedInPage(snapshot, rows, new Set(["attributes"]));
    const all = rows.map((row, i) => ({ ...row, attributes: included[i]?.attributes ?? NO_ATTRIBUTES }));
    return { rows: all.map(presentRow.accounts), last };
  },
  async contacts(snapshot, query, slice) {
    const { rows, last } = await contactList.readSlice(snapshot, query, slice);
    return { rows: (await withAccounts(snapshot, rows)).map(presentRow.contacts), last };
  },
  async meetings(snapshot, query, slice) {
    const { rows, last } = await meetingList.readSlice(snapshot, query, slice);
    return { rows: (await withAccounts(snapshot, rows)).map(presentRow.meetings), last };
  },
  async requests(snapshot, query, slice) {
    const { rows, last } = await featureRequestList.readSlice(snapshot, query, slice);
    return { rows: (await withAccounts(snapshot, rows)).map(presentRow.requests), last };
  },
};

async function withAccounts<Row extends { accountId: number }>(
  snapshot: TenantSnapshot,
  rows: readonly Row[],
): Promise<(Row & { accountExternalId: string | null })[]> {
  const externalIds = await readAccountExternalIds(
    snapshot,
    rows.map(({ accountId }) => accountId),
  );
  return rows.map((row) => ({ ...row, accountExternalId: externalIds.get(row.accountId) ?? null }));
}

/** The columns of the attributes that rows of the resource have now. */
async function attributeColumns(snapshot: TenantSnapshot, resource: ExportedResource): Promise<string[]> {
  const attributed = attributedResources[resource];
  if (!attributed) return [];
  const types = await readAllAttributeTypes(snapshot, attributed);
  return [...types.keys()].map((name) => attributePrefix + name);
}

/** Runs `fn` on a snapshot of the organization: `Tenant.read`. */
export type ReadTenant = <T>(fn: (snapshot: TenantSnapshot) => Promise<T>) => Promise<T>;

/**
 * The rows of a resource that match the query, as parts of one text. Each part is read in its own snapshot when it is
 * requested: a row that changes its position during the export can be in it twice, or not at all. Throws what `read`
 * throws.
 */
export async function* exportText(
  read: ReadTenant,
  { resource, query, format }: { resource: ExportedResource; query: ExportQuery; format: ExportFormat },
): AsyncGenerator<string, void> {
  const readSlice = readers[resource];
  const names = format === "csv" ? await read((snapshot) => attributeColumns(snapshot, resource)) : [];
  const columns = [...columnsOf[resource], ...names];
  let header = formatHeader(format, columns);
  let after: CursorPosition | undefined;
  do {
    const slice = { after, limit: rowsPerSlice };
    const { rows, last } = await read((snapshot) => readSlice(snapshot, query, slice));
    yield header + formatRows(format, columns, rows);
    header = "";
    after = last;
  } while (after);
}
