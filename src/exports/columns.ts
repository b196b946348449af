import { fieldsOf, type ResourceName } from "../shared/resources.ts";

/** The members of an exported row: its keys, then its other fields. An import reads the fields that callers can set. */
export const exportedNames = (resource: ResourceName): string[] => {
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

/** The members that `include` adds to accounts. */
export const exportIncludable = ["health", "contactActivity"] as const;

const includedColumns = {
  health: ["health.score", "health.tier"],
  contactActivity: ["contactActivity.at", "contactActivity.source"],
} as const satisfies Record<(typeof exportIncludable)[number], readonly string[]>;

/** The columns of the wanted members in CSV. */
export function addedColumns(wanted: ReadonlySet<string>): string[] {
  return exportIncludable.flatMap((name) => (wanted.has(name) ? includedColumns[name] : []));
}
