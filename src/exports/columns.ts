import type { AttributeValue } from "../core/attributes/attributes.ts";
import { presenterOf } from "../core/resource/field-columns.ts";
import { formatTimestamp } from "../core/timestamps.ts";
import { fieldsOf, type ResourceName } from "../shared/resources.ts";

/** A member of a row with members of its own, such as the attributes: in CSV a column for each, `NAME.MEMBER`. */
type ExportedObject = Readonly<Record<string, AttributeValue | null>>;
/** A row of an export: its values by column, and its objects. */
export type ExportedRow = Readonly<Record<string, string | number | null | ExportedObject>>;

/** The members of an exported row: its keys, then its other fields. An import reads the fields that callers can set. */
const exportedNames = (resource: ResourceName): string[] => {
  const keys =
    resource === "accounts" ? ["id", "externalId"] : ["id", "externalId", "accountId", "accountExternalId"];
  const others = Object.entries(fieldsOf(resource)).filter(
    ([name, { kind }]) => kind !== "flag" && !keys.includes(name),
  );
  return [...keys, ...others.map(([name]) => name)];
};

/** The names of the columns, in their order. In CSV, the columns of the attributes follow. */
export function columnsOf(resource: ResourceName): string[] {
  return exportedNames(resource).filter((name) => fieldsOf(resource)[name]?.kind !== "attributes");
}

/** Returns a function that presents a row as an export has it. */
export function presenterOfExport(resource: ResourceName): (row: object) => ExportedRow {
  return presenterOf<ExportedRow>(fieldsOf(resource), exportedNames(resource));
}

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
