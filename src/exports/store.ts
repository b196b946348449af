import { readAttributeTexts } from "../accounts/attribute-texts.ts";
import { includesLists, type MemberQuery, readIncludedInPage, wantedMembers } from "../accounts/included.ts";
import { accountList } from "../accounts/list.ts";
import { attributedResources, attributePrefix, NO_ATTRIBUTES } from "../core/attributes/attributes.ts";
import { readAllAttributeTypes } from "../core/attributes/names.ts";
import { Problem } from "../core/errors.ts";
import type { Page } from "../core/lists/list.ts";
import type { PageRequest } from "../core/lists/paging.ts";
import { readAccountExternalIds } from "../core/resource/account-reference.ts";
import type { TenantSnapshot } from "../core/tenant/transaction.ts";
import { ofSubResources } from "../resources.ts";
import { formatEndLine } from "../shared/end-line.ts";
import type { ResourceName } from "../shared/resources.ts";
import {
  columnsOf,
  type ExportedRow,
  exportIncludable,
  includedColumns,
  presenterOfExport,
  presentIncluded,
} from "./columns.ts";
import { type ExportFormat, formatHeader, formatRows } from "./formats.ts";

/** Rows of one slice: a few milliseconds, after which other requests are answered. */
const rowsPerSlice = 200;
/** The characters of attributes after which a slice of accounts ends. */
const maxAttributesPerSlice = 500_000;

/** The order and the filters of a list. */
export type ExportQuery = Readonly<Record<string, string | number | undefined>> &
  Pick<MemberQuery, "include">;
type ReadPage = (snapshot: TenantSnapshot, query: ExportQuery & PageRequest) => Promise<Page<ExportedRow>>;

const listsOfFiles = ofSubResources((_, { list }) => list);
const presentAccount = presenterOfExport("accounts");
const readers: Record<ResourceName, ReadPage> = {
  async accounts(snapshot, query) {
    const page = await accountList.request(query).read(snapshot);
    const ids = page.rows.map(({ id }) => id);
    const texts = await readAttributeTexts(snapshot, ids, maxAttributesPerSlice);
    // A page of fewer rows has its own cursor.
    const isWhole = texts.length === ids.length;
    const { rows, pagination } = isWhole
      ? page
      : await accountList.request({ ...query, pageSize: texts.length }).read(snapshot);
    const included = await readIncludedInPage(snapshot, rows, wantedMembers(query));
    const all = rows.map((row, i) => ({
      ...presentAccount({ ...row, attributes: texts[i] ?? NO_ATTRIBUTES }),
      ...presentIncluded(included[i] ?? {}),
    }));
    return { rows: all, pagination };
  },
  ...ofSubResources((name, { list }): ReadPage => {
    const present = presenterOfExport(name);
    return async (snapshot, query) => {
      const { rows, pagination } = await list.request(query).read(snapshot);
      return { rows: (await withAccounts(snapshot, rows)).map(present), pagination };
    };
  }),
};

/** Where the parts of an export are read. Throws `invalid_request`. */
export function placeOfExport(resource: ResourceName, query: ExportQuery): "serving" | "reader" {
  if (includesLists(wantedMembers(query))) return "reader";
  const page = { ...query, page: 1, pageSize: rowsPerSlice, cursor: "" };
  const list = resource === "accounts" ? accountList : listsOfFiles[resource];
  return list.request(page).place;
}

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

/** The columns of the members that `include` adds. */
function addedColumns(query: ExportQuery): string[] {
  const wanted = wantedMembers(query);
  return exportIncludable.flatMap((name) => (wanted.has(name) ? includedColumns[name] : []));
}

/** The columns of the attributes that rows of the resource have now. */
async function attributeColumns(snapshot: TenantSnapshot, resource: ResourceName): Promise<string[]> {
  const attributed = attributedResources[resource];
  if (!attributed) return [];
  const types = await readAllAttributeTypes(snapshot, attributed);
  return [...types.keys()].map((name) => attributePrefix + name);
}

/** The error of a part that is not the first. The query was valid: an attribute has another type now. */
function asInterruption(error: unknown): unknown {
  return error instanceof Problem
    ? new Error(`an export ended early: ${error.code}`, { cause: error })
    : error;
}

/** Runs `fn` on a snapshot of the organization that has a key of cursors. */
export type ReadList = <T>(fn: (snapshot: TenantSnapshot) => Promise<T>) => Promise<T>;

/**
 * The rows of a resource that match the query, as parts of one text. Each part is read in its own snapshot when it is
 * requested: a row that changes its position during the export can be in it twice, or not at all. `hasEndLine`: JSON lines
 * end in the line of `formatEndLine`. Throws what `read` throws.
 */
export async function* exportText(
  read: ReadList,
  {
    resource,
    query,
    format,
    hasEndLine = false,
  }: { resource: ResourceName; query: ExportQuery; format: ExportFormat; hasEndLine?: boolean },
): AsyncGenerator<string, void> {
  const readPage = readers[resource];
  const names = format === "csv" ? await read((snapshot) => attributeColumns(snapshot, resource)) : [];
  const columns = [...columnsOf(resource), ...addedColumns(query), ...names];
  let header = formatHeader(format, columns);
  let rowCount = 0;
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: PageRequest = { page: 1, pageSize: rowsPerSlice, cursor };
    const { rows, pagination } = await read((snapshot) => readPage(snapshot, { ...query, ...page })).catch(
      (error: unknown) => {
        throw cursor === "" ? error : asInterruption(error);
      },
    );
    yield header + formatRows(format, columns, rows);
    header = "";
    rowCount += rows.length;
    cursor = "nextCursor" in pagination ? pagination.nextCursor : null;
  }
  if (hasEndLine) yield formatEndLine(rowCount);
}
