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
  if (resource === "health_settings")
    return { before: parseMembers(before ?? "null"), after: parseMembers(after ?? "null") };
  const fields = recordedFields.get(resource) ?? [];
  if (action === "updated" && before !== null && after !== null)
    return presentDiffering(fields, parseMembers(before), parseMembers(after));
  const isRow = action === "created" || action === "deleted";
  return { before: presentMembers(fields, before, isRow), after: presentMembers(fields, after, isRow) };
}

function parseMembers(json: string): Members {
  // Safe: `core/changes/changes.ts` writes an object, whose members have unknown values.
  return parseStoredJson(json) as Members;
}

/** A member of a change, and the name of the stored value that it is made of. */
type RecordedField = { name: string; kind: ResourceFields[string]["kind"]; of: string };
const tierFields: ResourceFields = { tier: { kind: "choice" }, score: { kind: "number" } };
/** The members of each resource in changes, in their order. */
const recordedFields = new Map<string, RecordedField[]>(
  Object.values(resources).map(({ noun, fields }) => [
    noun,
    Object.entries<ResourceFields[string]>(noun === "account" ? { ...fields, ...tierFields } : fields).map(
      ([name, { kind, of = name }]) => ({ name, kind, of }),
    ),
  ]),
);

function presentMembers(
  fields: readonly RecordedField[],
  json: string | null,
  isRow: boolean,
): Members | null {
  if (json === null) return null;
  const stored = parseMembers(json);
  // A row without attributes is stored without the member.
  if (isRow) stored.attributes ??= {};
  const presented: Members = {};
  for (const field of fields) {
    const value = stored[field.of];
    if (value !== undefined) presented[field.name] = presentValue(field, value);
  }
  return presented;
}

/** The members that differ as presented: two statuses can have the same flag. */
function presentDiffering(fields: readonly RecordedField[], before: Members, after: Members) {
  const differing: { before: Members; after: Members } = { before: {}, after: {} };
  for (const field of fields) {
    const [old, updated] = [before[field.of], after[field.of]];
    if (old === updated) continue;
    const [oldView, updatedView] = [presentValue(field, old), presentValue(field, updated)];
    if (oldView === updatedView) continue;
    if (oldView !== undefined) differing.before[field.name] = oldView;
    if (updatedView !== undefined) differing.after[field.name] = updatedView;
  }
  return differing;
}

/** Timestamps as text, and the status of an account also as its three flags. */
function presentValue({ name, kind }: RecordedField, value: unknown): unknown {
  if (value === undefined) return undefined;
  if (kind === "flag") return value === name;
  return kind === "timestamp" && typeof value === "number" ? formatTimestamp(value) : value;
}
