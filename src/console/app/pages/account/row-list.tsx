import type { ComponentChildren } from "preact";
import type { ResourceField, ResourceFields } from "../../../../shared/fields/field.ts";
import { attributePrefix } from "../../../../shared/file-fields.ts";
import { fieldsOf, type SubResourceName } from "../../../../shared/resources.ts";
import { fieldValue } from "../../components/values.tsx";
import { formatMember, labelOf, membersOf } from "../../editing/members.ts";
import { formatTimeRange } from "../../format.ts";
import { account, components } from "../../messages/messages.ts";
import { labelOfMember } from "../accounts/attribute-text.ts";
import type { SubResourceRow } from "./resources.ts";

const text = account.rows;

export type RowAction = "edit" | "delete";
const words = { edit: components.edit, delete: components.remove } as const;

type RowListProps = {
  resource: SubResourceName;
  rows: readonly SubResourceRow[];
  /** Absent: the rows can only be read. */
  onAction: ((action: RowAction, row: SubResourceRow) => void) | undefined;
};

/** Rows as blocks: the name, the other values below, and the actions. A block fits into every width. */
export function RowList({ resource, rows, onAction }: RowListProps) {
  return (
    <ul class="rows">
      {rows.map((row) => (
        <li key={row.id}>
          <p class="row-name">{nameOfRow(row)}</p>
          <p class="row-values hint">{partsOf(resource, row)}</p>
          {onAction && (
            <div class="row-actions">
              {(["edit", "delete"] as const).map((action) => (
                <button
                  key={action}
                  type="button"
                  class="link"
                  aria-label={text.actionOn(words[action], nameOfRow(row))}
                  onClick={() => onAction(action, row)}
                >
                  {words[action]}
                </button>
              ))}
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}

export function nameOfRow({ name, title, id }: SubResourceRow): string {
  return String(name ?? title ?? id);
}

/** Fields that are shown elsewhere, or that say nothing to a reader. */
const hidden = new Set(["id", "accountId", "name", "title", "endAt", "createdAt", "updatedAt"]);

const isId = (name: string) => /Id$/.test(name);

/** The values of a row, ids last, such as "Planned", "Severity 4" and "Requested May 3, 2026". */
function partsOf(resource: SubResourceName, row: SubResourceRow): ComponentChildren[] {
  const fields: ResourceFields = fieldsOf(resource);
  const values = Object.entries(fields)
    .filter(([name, { kind }]) => !hidden.has(name) && kind !== "attributes" && row[name] != null)
    .sort(([a], [b]) => Number(isId(a)) - Number(isId(b)))
    .map(([name, field]) => <span key={name}>{partOf(name, field, row)}</span>);
  const attributes = Object.entries(membersOf(row)).filter(([name]) => name.startsWith(attributePrefix));
  return [
    ...values,
    ...attributes.map(([name, value]) => (
      <span key={name}>
        {labelOfMember(name)}: {formatMember(name, value)}
      </span>
    )),
  ];
}

function partOf(name: string, field: ResourceField, row: SubResourceRow): ComponentChildren {
  const value = row[name];
  if (name === "startAt") return formatTimeRange(String(value), String(row.endAt ?? value));
  if (field.kind === "choice" || field.input?.format === "email") return fieldValue(name, field, value);
  return (
    <>
      {labelOf(name)} {isId(name) ? <code>{value}</code> : fieldValue(name, field, value)}
    </>
  );
}
