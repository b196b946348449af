import { type AttributeValue, parseAttributes } from "../core/attributes/attributes.ts";
import type { ResourceRows } from "../core/changes/changes.ts";
import type { FileResource } from "../core/file-resources.ts";
import { formatNullable, formatTimestamp } from "../core/timestamps.ts";

/** A member of a row with members of its own, such as the attributes: in CSV a column for each, `NAME.MEMBER`. */
type ExportedObject = Readonly<Record<string, AttributeValue | null>>;
/** A row of an export: its values by column, and its objects. */
export type ExportedRow = Readonly<Record<string, string | number | null | ExportedObject>>;

/** The columns that every resource has at the end. */
const presentTimes = ({ createdAt, updatedAt }: { createdAt: number; updatedAt: number }) => ({
  createdAt: formatTimestamp(createdAt),
  updatedAt: formatTimestamp(updatedAt),
});

type Exportable<T extends keyof ResourceRows> = Omit<ResourceRows[T], "version" | "memberTimes">;
type WithAccount<Row> = Row & { accountExternalId: string | null };

/** The columns of a sub-resource that refer to the row and to its account. */
const presentKeys = (row: {
  id: number;
  externalId: string | null;
  accountId: number;
  accountExternalId: string | null;
}) => ({
  id: row.id,
  externalId: row.externalId,
  accountId: row.accountId,
  accountExternalId: row.accountExternalId,
});

/** A row of each resource as an export has it. An import reads the columns that callers can set. */
export const presentRow = {
  accounts: (row: Exportable<"account">) => ({
    id: row.id,
    externalId: row.externalId,
    name: row.name,
    mrr: row.mrr,
    status: row.status,
    logoUrl: row.logoUrl,
    contactActivityAt: formatNullable(row.contactActivityAt),
    attributes: parseAttributes(row.attributes),
    ...presentTimes(row),
  }),
  contacts: (row: WithAccount<Exportable<"contact">>) => ({
    ...presentKeys(row),
    name: row.name,
    email: row.email,
    lastSeenAt: formatNullable(row.lastSeenAt),
    attributes: parseAttributes(row.attributes),
    ...presentTimes(row),
  }),
  meetings: (row: WithAccount<Exportable<"meeting">>) => ({
    ...presentKeys(row),
    title: row.title,
    startAt: formatTimestamp(row.startAt),
    endAt: formatTimestamp(row.endAt),
    ...presentTimes(row),
  }),
  requests: (row: WithAccount<Exportable<"request">>) => ({
    ...presentKeys(row),
    title: row.title,
    status: row.status,
    severity: row.severity,
    requestedAt: formatTimestamp(row.requestedAt),
    resolvedAt: formatNullable(row.resolvedAt),
    ...presentTimes(row),
  }),
} satisfies Record<FileResource, (row: never) => ExportedRow>;

const sub = ["id", "externalId", "accountId", "accountExternalId"] as const;
const times = ["createdAt", "updatedAt"] as const;

/** The names of the columns, in their order. In CSV, those of the attributes follow. */
export const columnsOf: {
  [Resource in FileResource]: readonly (keyof ReturnType<(typeof presentRow)[Resource]>)[];
} = {
  accounts: ["id", "externalId", "name", "mrr", "status", "logoUrl", "contactActivityAt", ...times],
  contacts: [...sub, "name", "email", "lastSeenAt", ...times],
  meetings: [...sub, "title", "startAt", "endAt", ...times],
  requests: [...sub, "title", "status", "severity", "requestedAt", "resolvedAt", ...times],
};

/** The members that `include` adds to accounts. */
export const exportIncludable = ["health", "contactActivity"] as const;

/** Their columns in CSV. */
export const includedColumns = {
  health: ["health.score", "health.tier"],
  contactActivity: ["contactActivity.at", "contactActivity.source"],
} as const satisfies Record<(typeof exportIncludable)[number], readonly string[]>;

/** What `include` adds to an account, as it is read. */
type IncludedMembers = {
  health?: { score: number | null; tier: string | null; coverage: number };
  contactActivity?: { at: number | null; source: string | null };
};

/** The members that `include` adds to an account, as the list has them. */
export function presentIncluded({ health, contactActivity }: IncludedMembers): ExportedRow {
  return {
    ...(health && { health: presentHealth(health) }),
    ...(contactActivity && { contactActivity: presentActivity(contactActivity) }),
  };
}

function presentHealth({ score, tier, coverage }: NonNullable<IncludedMembers["health"]>): ExportedObject {
  return { score, tier, coverage };
}

function presentActivity({
  at,
  source,
}: NonNullable<IncludedMembers["contactActivity"]>): ExportedObject | null {
  return at === null ? null : { at: formatTimestamp(at), source };
}
