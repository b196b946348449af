import { type ImportedResource, importedMembers } from "../imports/rows.ts";
import type { NamedTarget } from "./import-columns.ts";

/** The names of ignored members that are remembered, which are listed at the end. */
const maxIgnored = 100;

/**
 * A function that returns the members of an object of JSON lines that are imported: those of the map, and those with the
 * name of a member that is not in the map. Adds the names of the others to `ignored`. Values are not converted.
 */
export function mapMembers(
  targets: readonly NamedTarget[],
  resource: ImportedResource,
  ignored: Set<string>,
): (members: Readonly<Record<string, unknown>>) => Record<string, unknown> {
  const mapped = new Set(targets.map(({ member }) => member));
  const named = Object.keys(importedMembers[resource]).filter((member) => !mapped.has(member));
  const sources = [...targets, ...named.map((member) => ({ column: member, member }))];
  const columns = new Set(sources.map(({ column }) => column));
  return (members) => {
    const row: Record<string, unknown> = {};
    for (const { column, member } of sources)
      if (Object.hasOwn(members, column)) row[member] = members[column];
    for (const name of Object.keys(members))
      if (ignored.size < maxIgnored && !columns.has(name)) ignored.add(name);
    return row;
  };
}
