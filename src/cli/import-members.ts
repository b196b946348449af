import { attributedResources } from "../core/attributes.ts";
import { importedMembers } from "../imports/rows.ts";
import { type ImportMap, typeOf } from "./import-columns.ts";
import { convertText, notConverted, setMember } from "./import-values.ts";

/** The names of ignored members that are remembered, which are listed at the end. */
const maxIgnored = 100;

/**
 * A function that returns the members of an object of JSON lines that are imported: those of the map, and those with the
 * name of a member that is not in the map. Adds the names of the others to `ignored`. A text for an attribute of another
 * type is converted; the line is rejected if it has no such value. Other values stay as they are.
 */
export function mapMembers(map: ImportMap, ignored: Set<string>) {
  const { resource, targets } = map;
  const mapped = new Set(targets.map(({ member }) => member));
  const own = [
    ...Object.keys(importedMembers[resource]),
    ...(attributedResources[resource] ? ["attributes"] : []),
  ];
  const named = own.filter((member) => !mapped.has(member));
  const columns = new Set([...targets.map(({ column }) => column), ...named]);
  return (
    members: Readonly<Record<string, unknown>>,
  ): { row: Record<string, unknown> } | { fault: string } => {
    const row: Record<string, unknown> = {};
    for (const name of named) if (Object.hasOwn(members, name)) row[name] = members[name];
    for (const { column, ...target } of targets) {
      if (!Object.hasOwn(members, column)) continue;
      const source = members[column];
      const type = typeOf(target, map);
      const value = typeof source === "string" ? convertText(source, type) : source;
      if (value === undefined) return { fault: notConverted(target.member, type, String(source)) };
      setMember(row, target.member, value);
    }
    for (const name of Object.keys(members))
      if (ignored.size < maxIgnored && !columns.has(name)) ignored.add(name);
    return { row };
  };
}
