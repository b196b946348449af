import { isInJson, textInput } from "../../db/expressions.ts";
import { type AccountStatus, accounts } from "../../db/schema.ts";
import { select } from "../core/tenant/statements.ts";
import type { Tenant } from "../core/tenant/tenant.ts";
import type { TenantSnapshot } from "../core/tenant/transaction.ts";
import { readContactActivities, readStoredScores } from "../health-scores/of-accounts.ts";
import type { Health } from "../health-scores/score.ts";
import { getHealth, placeOfHealth } from "../health-scores/store.ts";
import { ofSubResources } from "../resources.ts";
import { type SubResourceName, subResourceNames } from "../shared/resources.ts";

/** The members that a reply has only if `include` or `fields` names them. */
export const includable = ["status", "health", ...subResourceNames, "contactActivity", "attributes"] as const;
export type Includable = (typeof includable)[number];
/** The members that `include` or `fields` adds to an account. Lists are JSON text. */
export type Included = {
  status?: AccountStatus;
  health?: Pick<Health, "score" | "tier" | "coverage">;
  contactActivity?: Health["contactActivity"];
  /** JSON text. */
  attributes?: string;
} & { [List in SubResourceName]?: string };
type Wanted = ReadonlySet<Includable>;
const nothing: Wanted = new Set();
/** The part of a query that says which members a reply has. */
export type MemberQuery = { include?: string; fields?: string };
type RowToExtend = { id: number; status: AccountStatus };

/** The members to read: named by `fields`, or else by `include`, except for members that the reply always has. */
export function wantedMembers({ include, fields }: MemberQuery, always: readonly Includable[] = []): Wanted {
  const names = (fields ?? include)?.split(",");
  return names === undefined
    ? nothing
    : new Set(includable.filter((name) => names.includes(name) && !always.includes(name)));
}

/** Whether a page has the totals of its list. */
export function includesTotals({ include }: MemberQuery): boolean {
  return include?.split(",").includes("totals") ?? false;
}

/** The members that the reply to a GET has without `include`. */
export const embeddedMembers = subResourceNames;

/** Where one account is read with the wanted members. */
export async function placeOfIncluded(
  tenant: Tenant,
  key: number | string,
  wanted: Wanted,
): Promise<"serving" | "reader" | undefined> {
  const account = typeof key === "number" ? { accountId: key } : { accountExternalId: key };
  return wanted.has("health") ? placeOfHealth(tenant, account, tenant.now) : undefined;
}

/** Whether a page with these members reads many rows. */
export function includesLists(wanted: Wanted): boolean {
  return embeddedMembers.some((name) => wanted.has(name));
}

/** Reads the wanted members of one account; undefined if there are none. Its health is computed for the snapshot's time. */
export function readIncludedOfOne(
  snapshot: TenantSnapshot,
  row: RowToExtend,
  wanted: Wanted,
): Promise<Included | undefined> | undefined {
  if (wanted.size === 0) return undefined;
  const readHealth = async () => new Map([[row.id, await getHealth(snapshot, row.id, snapshot.now)]]);
  return readIncluded(snapshot, [row], wanted, readHealth).then(([included]) => included);
}

/** Reads the wanted members of accounts, by the same few statements for any number of them. Scores are the stored ones. */
export function readIncludedOf(
  snapshot: TenantSnapshot,
  rows: readonly RowToExtend[],
  wanted: Wanted,
): Promise<Included[]> {
  return readIncluded(snapshot, rows, wanted, (ids) => readStoredScores(snapshot, ids));
}

/** The accounts of a page whose members are read first: their size decides how many are read next. */
const firstCount = 25;

/**
 * `readIncludedOf` for a page, in parts if the members have lists or attributes. Ends after the part in which these exceed
 * `maxLength` characters in all: not all of its accounts fit on the page.
 */
export async function readIncludedInPage(
  snapshot: TenantSnapshot,
  rows: readonly RowToExtend[],
  { wanted, maxLength }: { wanted: Wanted; maxLength: number },
): Promise<Included[]> {
  const included: Included[] = [];
  let length = 0;
  const isLarge = includesLists(wanted) || wanted.has("attributes");
  for (
    let count = isLarge ? firstCount : rows.length;
    included.length < rows.length && length <= maxLength;
  ) {
    const next = rows.slice(included.length, included.length + count);
    const read = await readIncludedOf(snapshot, next, wanted);
    for (const members of read) length += lengthOf(members);
    included.push(...read);
    count = Math.floor(((maxLength - length) * included.length) / Math.max(1, length)) + 1;
  }
  return included;
}

/** The characters of the members that are texts. */
function lengthOf(members: Included): number {
  return Object.values(members).reduce(
    (sum, value) => sum + (typeof value === "string" ? value.length : 0),
    0,
  );
}

async function readIncluded(
  snapshot: TenantSnapshot,
  rows: readonly RowToExtend[],
  wanted: Wanted,
  readScores: (ids: readonly number[]) => Promise<Map<number, NonNullable<Included["health"]>>>,
): Promise<Included[]> {
  const ids = rows.map(({ id }) => id);
  const accountIds = JSON.stringify(ids);
  const now = snapshot.now;
  const readList = async (list: SubResourceName) =>
    new Map(
      (await snapshot.all(listStatements[list], { accountIds, now })).map(({ id, rows }) => [id, rows]),
    );
  const sources: { [Member in Includable]: () => Promise<Map<number, unknown>> } = {
    status: async () => new Map(rows.map(({ id, status }) => [id, status])),
    health: () => readScores(ids),
    contactActivity: () => readContactActivities(snapshot, ids),
    attributes: async () =>
      new Map((await snapshot.all(attributesOf, { accountIds })).map((row) => [row.id, row.attributes])),
    ...ofSubResources((name) => () => readList(name)),
  };
  const found = await Promise.all([...wanted].map(async (name) => [name, await sources[name]()] as const));
  // Safe: each source has the values of its member.
  return ids.map((id) => Object.fromEntries(found.map(([name, values]) => [name, values.get(id)])));
}

const attributesOf = select("accounts.includedAttributes", {
  fields: { id: accounts.id, attributes: accounts.attributes },
  from: accounts,
  where: isInJson(accounts.id, textInput("accountIds")),
});

const listStatements = ofSubResources((list, { embedded }) => {
  return select(`accounts.included.${list}`, {
    fields: { id: accounts.id, rows: embedded },
    from: accounts,
    where: isInJson(accounts.id, textInput("accountIds")),
  });
});
