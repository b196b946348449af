import { parseStoredJson } from "../core/stored-json.ts";
import { formatTimestamp } from "../core/timestamps.ts";
import type { ResourceFields } from "../shared/fields/field.ts";
import { resources } from "../shared/resources.ts";
import type { ChangeRow } from "./list.ts";

type Members = Record<string, unknown>;

/** `before` and `after` as the API shows them; of an update, only the members that differ. */
export function presentSides({ resource, action, before, after }: ChangeRow): {
  before: Members | null;
  after: Members | null;
} {
  // Safe: `core/changes/changes.ts` writes both objects.
  if (resource === "health_settings")
    return {
      before: parseStoredJson(before ?? "null") as Members,
      after: parseStoredJson(after ?? "null") as Members,
    };
  const isRow = action === "created" || action === "deleted";
  const [old, updated] = [presentMembers(resource, before, isRow), presentMembers(resource, after, isRow)];
  if (action !== "updated" || !old || !updated) return { before: old, after: updated };
  const differing = (row: Members) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => old[name] !== updated[name]));
  return { before: differing(old), after: differing(updated) };
}

const tierFields: ResourceFields = { tier: { kind: "choice" }, score: { kind: "number" } };
/** The names of the members of each resource in changes, in their order, with their fields. */
const recordedFields = new Map(
  Object.values(resources).map(({ noun, fields }) => [
    noun as string,
    Object.entries<ResourceFields[string]>(noun === "account" ? { ...fields, ...tierFields } : fields),
  ]),
);

/** Timestamps as text, and the status of an account also as its three flags. */
function presentMembers(resource: string, json: string | null, isRow: boolean): Members | null {
  if (json === null) return null;
  // Safe: an object has members, of unknown values.
  const stored = parseStoredJson(json) as Members;
  // A row without attributes is stored without the member.
  if (isRow) stored.attributes ??= {};
  const presented: Members = {};
  for (const [name, { kind, of = name }] of recordedFields.get(resource) ?? []) {
    const value = stored[of];
    if (value === undefined) continue;
    if (kind === "flag") presented[name] = value === name;
    else presented[name] = kind === "timestamp" && typeof value === "number" ? formatTimestamp(value) : value;
  }
  return presented;
}
