import "../../styles/keys.css";
import { useState } from "preact/hooks";
import { LoadedRows, PageTitle } from "../../components/layout.tsx";
import { actionColumn, type Column, Table } from "../../components/table.tsx";
import { Age, LocalDate } from "../../components/values.tsx";
import { formatCount } from "../../format.ts";
import { useSession } from "../../session.ts";
import { useCursorList } from "../../use-request.ts";
import { CreateKeyDialog, RevokeDialog, SecretDialog } from "./dialogs.tsx";
import { type KeyState, stateOf } from "./key-state.ts";
import { type ListedKey, nameOfKey, type RevealedKey, readKeys } from "./requests.ts";

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

/** The API keys of the organization. */
export function KeysPage() {
  const list = useCursorList(readKeys, [], 50);
  const [isCreating, setIsCreating] = useState(false);
  const [created, setCreated] = useState<RevealedKey>();
  const [revoked, setRevoked] = useState<ListedKey>();
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
  const actions = actionColumn<ListedKey>((key) =>
    stateOf(key) === "revoked"
      ? []
      : [{ text: "Revoke", label: `Revoke ${nameOfKey(key)}`, run: () => setRevoked(key) }],
  );
  return (
    <>
      <PageTitle title="Keys">
        <button type="button" class="primary" onClick={() => setIsCreating(true)}>
          Create key
        </button>
      </PageTitle>
      <p class="hint lead">
        A key gives access to the data of this organization, as far as its scopes allow. Revoked and expired
        keys stay in the list.
      </p>
      <section class="card" aria-label="Keys">
        <LoadedRows list={list} noun="keys" height={12}>
          {(rows) => (
            <Table
              label="Keys, table"
              class="keys"
              columns={[name, ...columns, actions]}
              rows={rows}
              keyOf={({ id }) => id}
              rowClass={(key) => (stateOf(key) === "active" ? undefined : "ended")}
            />
          )}
        </LoadedRows>
      </section>
      {isCreating && (
        <CreateKeyDialog
          onCreated={(key) => {
            setCreated(key);
            list.reload();
          }}
          onClose={() => setIsCreating(false)}
        />
      )}
      {created && !isCreating && <SecretDialog created={created} onClose={() => setCreated(undefined)} />}
      {revoked && (
        <RevokeDialog apiKey={revoked} onRevoked={list.reload} onClose={() => setRevoked(undefined)} />
      )}
    </>
  );
}
