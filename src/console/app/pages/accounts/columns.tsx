import type { ComponentChildren } from "preact";
import type { components } from "../../../../../clients/typescript/src/schema.ts";
import { TierName } from "../../components/tier.tsx";
import { LocalDate } from "../../components/timestamp.tsx";
import { formatAge, formatMrr, formatNumber, formatTime } from "../../format.ts";
import { statusNames } from "../../statuses.ts";

export type ListedAccount = components["schemas"]["ListedAccount"];
export type ListedAttribute = components["schemas"]["Attribute"];

export type TableColumn = {
  /** The name in `sortBy` and in the list of chosen columns. */
  id: string;
  title: string;
  /** The member of the account that is read; `attributes` for all of them. */
  field:
    | "externalId"
    | "mrr"
    | "status"
    | "health"
    | "contactActivity"
    | "createdAt"
    | "updatedAt"
    | "attributes";
  isNumber?: boolean;
  /** A text of any length, which is broken into lines. */
  isText?: boolean;
  isSortable?: boolean;
  /** Shown on narrow screens, too. */
  isEssential?: boolean;
  show: (account: ListedAccount) => ComponentChildren;
};

/** The columns of each account besides its name, which is always shown. */
const ownColumns: readonly TableColumn[] = [
  {
    id: "externalId",
    title: "External id",
    field: "externalId",
    isText: true,
    show: ({ externalId }) => externalId ?? none,
  },
  { id: "status", title: "Status", field: "status", show: ({ status }) => status && statusNames[status] },
  {
    id: "mrr",
    title: "MRR",
    field: "mrr",
    isNumber: true,
    isSortable: true,
    isEssential: true,
    show: (account) => formatMrr(account.mrr),
  },
  {
    id: "healthScore",
    title: "Health",
    field: "health",
    isSortable: true,
    isEssential: true,
    show: ({ health }) => health && <TierName tier={health.tier} score={health.score} />,
  },
  {
    id: "contactActivityAt",
    title: "Last contact",
    field: "contactActivity",
    isSortable: true,
    show: ({ contactActivity }) =>
      contactActivity ? (
        <span title={`${formatTime(contactActivity.at)}, ${contactActivity.source}`}>
          {formatAge(contactActivity.at)}
        </span>
      ) : (
        <span class="muted">Never</span>
      ),
  },
  {
    id: "createdAt",
    title: "Created",
    field: "createdAt",
    isSortable: true,
    show: (account) => <LocalDate timestamp={account.createdAt} />,
  },
  {
    id: "updatedAt",
    title: "Updated",
    field: "updatedAt",
    isSortable: true,
    show: (account) => <LocalDate timestamp={account.updatedAt} />,
  },
];

const none = <span class="muted">–</span>;

export const defaultColumns: readonly string[] = [
  "externalId",
  "status",
  "mrr",
  "healthScore",
  "contactActivityAt",
  "createdAt",
];

/** The columns that can be chosen: those of every account, then the attributes. */
export function allColumns(attributes: readonly ListedAttribute[]): TableColumn[] {
  return [...ownColumns, ...attributes.map(columnOfAttribute)];
}

function columnOfAttribute({ name, type }: ListedAttribute): TableColumn {
  return {
    id: `attributes.${name}`,
    title: name,
    field: "attributes",
    isNumber: type === "number",
    isText: type === "string",
    isSortable: true,
    show: ({ attributes = {} }) =>
      attributeText(Object.hasOwn(attributes, name) ? attributes[name] : undefined),
  };
}

function attributeText(value: string | number | boolean | undefined): ComponentChildren {
  if (value === undefined) return none;
  if (typeof value === "boolean") return value ? "Yes" : "No";
  return typeof value === "number" ? formatNumber(value) : value;
}

/** The chosen columns of an organization, stored in the browser: the names of attributes are those of one organization. */
export function readColumns(organization: string): readonly string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey(organization)) ?? "null");
    if (Array.isArray(stored)) return stored.filter((id) => typeof id === "string");
  } catch {
    // Another program wrote it.
  }
  return defaultColumns;
}

export function storeColumns(organization: string, ids: readonly string[]): void {
  localStorage.setItem(storageKey(organization), JSON.stringify(ids));
}

function storageKey(organization: string): string {
  return `accountd-columns:${organization}`;
}
