import { type Included, type MemberQuery, readIncludedOf, wantedMembers } from "../accounts/included.ts";
import { accountList } from "../accounts/list.ts";
import { attributedResources, attributePrefix, NO_ATTRIBUTES } from "../core/attributes/attributes.ts";
import { readAllAttributeTypes } from "../core/attributes/names.ts";
import type { PageRequest } from "../core/lists/paging.ts";
import type { Page } from "../core/lists/read.ts";
import { readAccountExternalIds } from "../core/resource/account-reference.ts";
import type { TenantSnapshot } from "../core/tenant/transaction.ts";
import { ofSubResources } from "../resources.ts";
import type { FileRows } from "../shared/resources.ts";
import { readExportedDays } from "./usage-days.ts";

/** The order and the filters of a list. */
export type ExportQuery = Readonly<Record<string, string | number | undefined>> &
  Pick<MemberQuery, "include">;
/** Rows, and what is added to each account: its attributes and the members of `include`. */
type ExportPage = Page<object> & { included: Included[] };
type ReadExportPage = (snapshot: TenantSnapshot, query: ExportQuery & PageRequest) => Promise<ExportPage>;

const lists = { accounts: accountList, ...ofSubResources((_, { list }) => list) };

export const pageReaders: Record<FileRows, ReadExportPage> = {
  async accounts(snapshot, query) {
    const { rows, pagination } = await lists.accounts.request(query, snapshot.now).read(snapshot);
    const wanted = new Set([...wantedMembers(query), "attributes" as const]);
    const included = await readIncludedOf(snapshot, rows, wanted);
    return { rows: rows.map((row) => ({ ...row, attributes: NO_ATTRIBUTES })), included, pagination };
  },
  async "usage-days"(snapshot, query) {
    return { ...(await readExportedDays(snapshot, query)), included: [] };
  },
  ...ofSubResources(
    (_, { list }): ReadExportPage =>
      async (snapshot, query) => {
        const { rows, pagination } = await list.request(query, snapshot.now).read(snapshot);
        const accountIds = rows.map(({ accountId }) => accountId);
        const externalIds = await readAccountExternalIds(snapshot, accountIds);
        const all = rows.map((row) => ({
          ...row,
          accountExternalId: externalIds.get(row.accountId) ?? null,
        }));
        return { rows: all, included: [], pagination };
      },
  ),
};

/** Where the parts of an export are read. Throws `invalid_request`. */
export function placeOfExport(resource: FileRows, query: ExportQuery, now: number): "serving" | "reader" {
  if (resource === "usage-days") return "reader";
  return lists[resource].request({ ...query, page: 1, pageSize: 1, cursor: "" }, now).place;
}

/** The columns of the attributes that rows of the resource have now. */
export async function readAttributeColumns(snapshot: TenantSnapshot, resource: FileRows): Promise<string[]> {
  const attributed = attributedResources[resource];
  if (!attributed) return [];
  const types = await readAllAttributeTypes(snapshot, attributed);
  return [...types.keys()].map((name) => attributePrefix + name);
}
