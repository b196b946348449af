import "../../styles/keys.css";
import { useState } from "preact/hooks";
import { Icon } from "../../components/icon.tsx";
import { LoadedTable, PageTitle } from "../../components/layout.tsx";
import { SecretDialog } from "../../components/secret-dialog.tsx";
import { actionColumn, type Column } from "../../components/table.tsx";
import { Age, LocalDate } from "../../components/values.tsx";
import { formatCount } from "../../format.ts";
import { fields, keys as text } from "../../messages/messages.ts";
import { useSession } from "../../session.ts";
import { useCursorList } from "../../use-request.ts";
import { CreateKeyDialog, RevokeDialog } from "./dialogs.tsx";
import { stateOf } from "./key-state.ts";
import { type ListedKey, nameOfKey, type RevealedKey, readKeys } from "./requests.ts";

const { labels } = fields;

const columns: readonly Column<ListedKey>[] = [
  {
    title: text.state,
    cell: (key) => <span class={`state ${stateOf(key)}`}>{text.states[stateOf(key)]}</span>,
  },
  { title: labels.scopes, cell: ({ scopes }) => scopes.join(", ") },
  {
    title: text.lastUsed,
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? text.never : <Age timestamp={lastUsedAt} />),
  },
  { title: labels.createdAt, cell: ({ createdAt }) => <LocalDate timestamp={createdAt} /> },
  {
    title: labels.expiresAt,
    cell: ({ expiresAt }) => (expiresAt === null ? text.never : <LocalDate timestamp={expiresAt} />),
  },
  {
    title: labels.rateLimit,
    isNumber: true,
    cell: ({ rateLimit }) => (rateLimit === null ? text.default : formatCount(rateLimit)),
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
    title: labels.name,
    isHeading: true,
    cell: ({ id, name, lastFour }) => (
      <>
        {name === "" ? text.unnamed : name} <code>…{lastFour}</code>{" "}
        {id === session.key.id && <span class="badge">{text.thisSession}</span>}
      </>
    ),
  };
  const actions = actionColumn<ListedKey>((key) =>
    stateOf(key) === "revoked"
      ? []
      : [
          {
            text: text.revoke.action,
            label: text.revoke.actionOn(nameOfKey(key)),
            run: () => setRevoked(key),
          },
        ],
  );
  return (
    <>
      <PageTitle title={text.title}>
        <button type="button" class="primary" onClick={() => setIsCreating(true)}>
          <Icon name="plus" />
          {text.create.title}
        </button>
      </PageTitle>
      <p class="hint lead">{text.lead}</p>
      <section class="card" aria-label={text.title}>
        <LoadedTable
          name={text.title}
          list={list}
          height={12}
          class="records stacking"
          columns={[name, ...columns, actions]}
          keyOf={({ id }) => id}
          rowClass={(key) => (stateOf(key) === "active" ? undefined : "ended")}
        />
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
      {created && !isCreating && (
        <SecretDialog
          {...text.secret}
          title={text.secret.title(nameOfKey(created))}
          secret={created.key}
          lost={text.secret.lost(created.lastFour)}
          onClose={() => setCreated(undefined)}
        />
      )}
      {revoked && (
        <RevokeDialog apiKey={revoked} onRevoked={list.reload} onClose={() => setRevoked(undefined)} />
      )}
    </>
  );
}
