import { type Column, Table } from "../../components/table.tsx";
import { Age, LocalDate } from "../../components/timestamp.tsx";
import { formatCount } from "../../format.ts";
import { useSession } from "../../session.ts";
import { type KeyState, stateOf } from "./key-state.ts";
import { type ListedKey, nameOfKey } from "./requests.ts";

const states: Readonly<Record<KeyState, string>> = {
  active: "Active",
  expired: "Expired",
  revoked: "Revoked",
};

const columns: readonly Column<ListedKey>[] = [
  {
    title: "State",
    cell: (key) => <span class={`state ${stateOf(key)}`}>{states[stateOf(key)]}</span>,
  },
  { title: "Scopes", cell: ({ scopes }) => scopes.join(", ") },
  {
    title: "Last used",
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? "Never" : <Age timestamp={lastUsedAt} />),
  },
  { title: "Created", cell: ({ createdAt }) => <LocalDate timestamp={createdAt} /> },
  {
    title: "Expires",
    cell: ({ expiresAt }) => (expiresAt === null ? "Never" : <LocalDate timestamp={expiresAt} />),
  },
  {
    title: "Requests per minute",
    isNumber: true,
    cell: ({ rateLimit }) => (rateLimit === null ? "Default" : formatCount(rateLimit)),
  },
];

export function KeyTable({
  keys,
  onRevoke,
}: {
  keys: readonly ListedKey[];
  onRevoke: (key: ListedKey) => void;
}) {
  const session = useSession();
  const name: Column<ListedKey> = {
    title: "Name",
    isHeading: true,
    class: "name",
    cell: ({ id, name, lastFour }) => (
      <>
        {name === "" ? "No name" : name} <code>…{lastFour}</code>{" "}
        {id === session.key.id && <span class="badge">This session</span>}
      </>
    ),
  };
  const actions: Column<ListedKey> = {
    title: "Actions",
    hasHiddenTitle: true,
    class: "actions",
    cell: (key) =>
      stateOf(key) !== "revoked" && (
        <button type="button" aria-label={`Revoke ${nameOfKey(key)}`} onClick={() => onRevoke(key)}>
          Revoke
        </button>
      ),
  };
  return (
    <Table
      label="Keys, table"
      class="keys"
      columns={[name, ...columns, actions]}
      rows={keys}
      keyOf={({ id }) => id}
      rowClass={(key) => (stateOf(key) === "active" ? undefined : "ended")}
    />
  );
}
