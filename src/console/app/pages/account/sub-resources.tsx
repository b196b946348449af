import type { components } from "../../../../../clients/typescript/src/schema.ts";
import { attributePrefix } from "../../../../shared/file-fields.ts";
import { api } from "../../api.ts";
import { Age, LocalDate } from "../../components/timestamp.tsx";
import { formatMember, labelOf } from "../../editing/member-text.ts";
import { membersOf } from "../../editing/members.ts";
import { formatTimeRange } from "../../format.ts";
import { contactResource, meetingResource, requestResource } from "./resources.ts";
import { type Column, SubResourceCard } from "./sub-resource-card.tsx";

type Rows = components["schemas"];
type CardProps = { accountId: number; onChanged: () => void };

function ExternalId({ externalId }: { externalId: string | null }) {
  if (externalId === null) return null;
  return (
    <span class="hint below">
      <code>{externalId}</code>
    </span>
  );
}

function Title({ title, externalId }: { title: string; externalId: string | null }) {
  return (
    <>
      {title}
      <ExternalId externalId={externalId} />
    </>
  );
}

function Person({ name, email, externalId }: Rows["Contact"]) {
  return (
    <>
      {name}
      {email !== null && (
        <a class="below" href={`mailto:${encodeURIComponent(email)}`}>
          {email}
        </a>
      )}
      <ExternalId externalId={externalId} />
    </>
  );
}

function AttributeList({ row }: { row: Rows["Contact"] }) {
  const attributes = Object.entries(membersOf(row)).filter(([name]) => name.startsWith(attributePrefix));
  if (attributes.length === 0) return "–";
  return attributes.map(([name, value]) => (
    <span class="below" key={name}>
      <span class="hint">{labelOf(name)}</span> {formatMember(name, value)}
    </span>
  ));
}

const contactColumns: readonly Column<Rows["Contact"]>[] = [
  { title: "Contact", cell: (row) => <Person {...row} /> },
  { title: "Attributes", cell: (row) => <AttributeList row={row} /> },
  {
    title: "Last seen",
    cell: ({ lastSeenAt }) => (lastSeenAt === null ? "–" : <Age timestamp={lastSeenAt} />),
  },
];

const meetingColumns: readonly Column<Rows["Meeting"]>[] = [
  { title: "Title", cell: ({ title, externalId }) => <Title title={title} externalId={externalId} /> },
  {
    title: "Time",
    cell: ({ startAt, endAt }) => formatTimeRange(startAt, endAt),
  },
];

const requestColumns: readonly Column<Rows["Request"]>[] = [
  { title: "Title", cell: ({ title, externalId }) => <Title title={title} externalId={externalId} /> },
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

export function ContactsCard(props: CardProps) {
  const path = { accountId: props.accountId };
  return (
    <SubResourceCard
      {...props}
      title="Contacts"
      resource={contactResource}
      columns={contactColumns}
      nameOf={({ name }) => name}
      hint="Add the persons that you talk to."
      load={async (query, signal) =>
        (await api.GET("/api/v1/accounts/{accountId}/contacts", { params: { path, query }, signal })).data
      }
    />
  );
}

export function MeetingsCard(props: CardProps) {
  const path = { accountId: props.accountId };
  return (
    <SubResourceCard
      {...props}
      title="Meetings"
      resource={meetingResource}
      columns={meetingColumns}
      nameOf={({ title }) => title}
      hint="Meetings of the last 180 days are a factor of the score."
      load={async (page, signal) => {
        const query = { ...page, sortBy: "startAt", sortOrder: "desc" } as const;
        return (await api.GET("/api/v1/accounts/{accountId}/meetings", { params: { path, query }, signal }))
          .data;
      }}
    />
  );
}

export function RequestsCard(props: CardProps) {
  const path = { accountId: props.accountId };
  return (
    <SubResourceCard
      {...props}
      title="Requests"
      resource={requestResource}
      columns={requestColumns}
      nameOf={({ title }) => title}
      hint="Open requests and the time to resolve them are factors of the score."
      load={async (page, signal) => {
        const query = { ...page, sortBy: "requestedAt", sortOrder: "desc" } as const;
        return (await api.GET("/api/v1/accounts/{accountId}/requests", { params: { path, query }, signal }))
          .data;
      }}
    />
  );
}
