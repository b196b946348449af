import type { ComponentChildren } from "preact";
import type { components } from "../../../../../clients/typescript/src/schema.ts";
import { attributePrefix } from "../../../../shared/file-fields.ts";
import { fieldsOf, type SubResourceName } from "../../../../shared/resources.ts";
import { Age, LocalDate } from "../../components/timestamp.tsx";
import { formatMember, labelOf } from "../../editing/member-text.ts";
import { membersOf } from "../../editing/members.ts";
import { formatTimeRange } from "../../format.ts";
import type { SubResourceRow } from "./resources.ts";

type Rows = components["schemas"];
export type Column<Row> = { title: string; cell: (row: Row) => ComponentChildren; isNumber?: boolean };

/** The text that names a row. */
export function nameOf({ name, title, id }: SubResourceRow): string {
  return String(name ?? title ?? id);
}

function RowTitle({ row }: { row: SubResourceRow }) {
  const { email, externalId } = row;
  return (
    <>
      {nameOf(row)}
      {typeof email === "string" && (
        <a class="below" href={`mailto:${encodeURIComponent(email)}`}>
          {email}
        </a>
      )}
      {externalId !== null && (
        <span class="hint below">
          <code>{externalId}</code>
        </span>
      )}
    </>
  );
}

function AttributeList({ row }: { row: object }) {
  const attributes = Object.entries(membersOf(row)).filter(([name]) => name.startsWith(attributePrefix));
  if (attributes.length === 0) return "–";
  return attributes.map(([name, value]) => (
    <span class="below" key={name}>
      <span class="hint">{labelOf(name)}</span> {formatMember(name, value)}
    </span>
  ));
}

const contactColumns: readonly Column<Rows["Contact"]>[] = [
  { title: "Attributes", cell: (row) => <AttributeList row={row} /> },
  {
    title: "Last seen",
    cell: ({ lastSeenAt }) => (lastSeenAt === null ? "–" : <Age timestamp={lastSeenAt} />),
  },
];

const meetingColumns: readonly Column<Rows["Meeting"]>[] = [
  { title: "Time", cell: ({ startAt, endAt }) => formatTimeRange(startAt, endAt) },
];

const requestColumns: readonly Column<Rows["Request"]>[] = [
  { title: "Status", cell: ({ status }) => <span class="together">{status}</span> },
  { title: "Severity", cell: ({ severity }) => severity, isNumber: true },
  {
    title: "Requested",
    cell: ({ requestedAt, resolvedAt }) => (
      <>
        <LocalDate class="together" timestamp={requestedAt} />
        {resolvedAt !== null && (
          <span class="hint below">
            resolved <LocalDate class="together" timestamp={resolvedAt} />
          </span>
        )}
      </>
    ),
  },
];

/** The columns of resources that do not show each field in a column of its own. */
const ownColumns: Readonly<Partial<Record<SubResourceName, readonly Column<never>[]>>> = {
  contacts: contactColumns,
  meetings: meetingColumns,
  requests: requestColumns,
};
const nameColumns: Readonly<Partial<Record<SubResourceName, string>>> = { contacts: "Contact" };

/** The columns of a list: first the name of the row with its external id, then the columns of the resource. */
export function columnsOf(resource: SubResourceName): Column<SubResourceRow>[] {
  const title = nameColumns[resource] ?? "Title";
  // Safe: the rows of the resource.
  const own = ownColumns[resource] as readonly Column<SubResourceRow>[] | undefined;
  return [{ title, cell: (row) => <RowTitle row={row} /> }, ...(own ?? fieldColumns(resource))];
}

function fieldColumns(resource: SubResourceName): Column<SubResourceRow>[] {
  const inTitle = ["name", "title", "externalId"];
  return Object.entries(fieldsOf(resource)).flatMap(([name, { label, kind }]) =>
    label === undefined || inTitle.includes(name)
      ? []
      : { title: label, cell: (row) => formatMember(name, row[name]), isNumber: kind === "number" },
  );
}
