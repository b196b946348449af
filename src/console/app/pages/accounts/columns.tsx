import type { components } from "../../../../../clients/typescript/src/schema.ts";
import { accountFields } from "../../../../shared/fields/accounts.ts";
import type { ResourceFields } from "../../../../shared/fields/field.ts";
import { attributePrefix } from "../../../../shared/file-fields.ts";
import type { SortOrder } from "../../address.ts";
import { Logo } from "../../components/logo.tsx";
import type { Column } from "../../components/table.tsx";
import { fieldValue, noValue, TierName } from "../../components/values.tsx";
import { formatMember, hasLabel, labelOf, membersOf } from "../../editing/members.ts";
import { formatAge, formatDay, formatTime, formatWholeMrr } from "../../format.ts";
import { accounts as text } from "../../messages/messages.ts";
import { textOfSource } from "../account/health-factors.ts";
import { type ListedAttribute, labelOfAttribute } from "./attribute-text.ts";
import { isColumn } from "./view.ts";

export type ListedAccount = components["schemas"]["ListedAccount"];

export type AccountColumn = Column<ListedAccount> & {
  /** The name in the list of chosen columns. */
  id: string;
  title: string;
  /** The member of the account that is read; `attributes` for all of them. */
  field: string;
};

const wideOnly = "wide-only";

export const nameColumn: Column<ListedAccount> = {
  title: labelOf("name"),
  sortBy: "name",
  isHeading: true,
  cell: ({ id, name, logoUrl }) => (
    <div class="with-logo">
      <Logo name={name} url={logoUrl} />
      <a class="clamp" href={`/console/accounts/${id}`} title={name}>
        {name}
      </a>
    </div>
  ),
};
const healthColumn: AccountColumn = {
  id: "healthScore",
  title: text.health,
  field: "health",
  sortBy: "healthScore",
  firstOrder: "desc",
  cell: ({ health }) => health && <TierName tier={health.tier} score={health.score} />,
};

/** The last activity of all sources, and its source. */
const contactColumn = {
  field: "contactActivity",
  class: wideOnly,
  cell: ({ contactActivity }: ListedAccount) =>
    contactActivity ? (
      <span title={text.activity(formatTime(contactActivity.at), textOfSource(contactActivity.source))}>
        {formatAge(contactActivity.at)}
      </span>
    ) : (
      <span class="muted">{text.never}</span>
    ),
};

/** Numbers and the health are shown on narrow screens, too. Numbers and times are first sorted from the largest. */
const fields: ResourceFields = accountFields;
const fieldColumns = Object.entries(fields).flatMap(([name, field]): AccountColumn[] => {
  const { kind, isSortable } = field;
  if (!hasLabel(name) || name === "name") return [];
  const isNumber = kind === "number" || kind === "integer";
  const firstOrder: SortOrder = isNumber || kind === "timestamp" ? "desc" : "asc";
  const common = {
    id: name,
    title: labelOf(name),
    field: name,
    sortBy: isSortable ? name : undefined,
    firstOrder,
  };
  if (name === "contactActivityAt") return [{ ...common, ...contactColumn }];
  if (name === "mrr") return [{ ...common, isNumber, cell: ({ mrr }) => formatWholeMrr(mrr) }];
  const cell = (account: ListedAccount) => fieldValue(name, field, membersOf(account)[name]);
  if (isNumber) return [{ ...common, isNumber, cell }];
  if (kind !== "text") return [{ ...common, class: wideOnly, cell }];
  return [{ ...common, class: `text ${wideOnly}`, cell: (row) => <span class="clamp">{cell(row)}</span> }];
});

export const defaultColumns: readonly string[] = [
  "externalId",
  "status",
  "mrr",
  "healthScore",
  "contactActivityAt",
  "createdAt",
];

/** The columns that can be chosen: the fields of every account by their kinds, then the attributes. */
export function allColumns(attributes: readonly ListedAttribute[]): AccountColumn[] {
  const ofKinds = (...kinds: string[]) =>
    fieldColumns.filter(({ id }) => kinds.includes(fields[id]?.kind ?? ""));
  return [
    ...ofKinds("text"),
    ...ofKinds("choice"),
    ...ofKinds("number", "integer"),
    healthColumn,
    ...ofKinds("timestamp"),
    ...attributes.map(columnOfAttribute),
  ];
}

function columnOfAttribute({ name, type, label }: ListedAttribute): AccountColumn {
  const id = attributePrefix + name;
  return {
    id,
    title: labelOfAttribute(name, label),
    field: "attributes",
    isNumber: type === "number",
    class: type === "string" ? `text ${wideOnly}` : wideOnly,
    sortBy: id,
    firstOrder: type === "number" || type === "date" ? "desc" : "asc",
    cell: (account) => {
      const value = membersOf(account)[id];
      return value === undefined ? (
        noValue
      ) : (
        <span class="clamp">{type === "date" ? formatDay(String(value)) : formatMember(id, value)}</span>
      );
    },
  };
}

/** The chosen columns of an organization, stored in the browser: each organization has its own attributes. Undefined if none is valid. */
export function readColumns(organization: string): readonly string[] | undefined {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey(organization)) ?? "null");
    if (!Array.isArray(stored)) return undefined;
    const ids = stored.filter((id) => typeof id === "string" && isColumn(id));
    return ids.length === 0 && stored.length > 0 ? undefined : ids;
  } catch {
    // Another program wrote it.
  }
  return undefined;
}

/** `undefined` removes them. */
export function storeColumns(organization: string, ids: readonly string[] | undefined): void {
  if (ids === undefined) localStorage.removeItem(storageKey(organization));
  else localStorage.setItem(storageKey(organization), JSON.stringify(ids));
}

function storageKey(organization: string): string {
  return `accountd-columns:${organization}`;
}
