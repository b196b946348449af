import type { ComponentChildren } from "preact";
import { ActionsHeader } from "../../components/actions-header.tsx";
import { ScrollArea } from "../../components/scroll-area.tsx";
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
const columns = [
  "Name",
  "State",
  "Scopes",
  "Last used",
  "Created",
  "Expires",
  "Requests per minute",
] as const;

export function KeyTable({
  keys,
  onRevoke,
}: {
  keys: readonly ListedKey[];
  onRevoke: (key: ListedKey) => void;
}) {
  return (
    <ScrollArea label="Keys, table">
      <table class="keys">
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col" class={name === "Requests per minute" ? "number" : undefined}>
                {name}
              </th>
            ))}
            <ActionsHeader />
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <KeyRow key={key.id} apiKey={key} onRevoke={onRevoke} />
          ))}
        </tbody>
      </table>
    </ScrollArea>
  );
}

function KeyRow({ apiKey, onRevoke }: { apiKey: ListedKey; onRevoke: (key: ListedKey) => void }) {
  const session = useSession();
  const { id, name, lastFour, scopes, rateLimit, createdAt, expiresAt, lastUsedAt } = apiKey;
  const state = stateOf(apiKey);
  return (
    <tr class={state === "active" ? undefined : "ended"}>
      <th scope="row" class="name">
        {name === "" ? "No name" : name} <code>…{lastFour}</code>{" "}
        {id === session.key.id && <span class="badge">This session</span>}
      </th>
      <Cell column="State">
        <StateName state={state} />
      </Cell>
      <Cell column="Scopes">{scopes.join(", ")}</Cell>
      <Cell column="Last used">{lastUsedAt === null ? "Never" : <Age timestamp={lastUsedAt} />}</Cell>
      <Cell column="Created">
        <LocalDate timestamp={createdAt} />
      </Cell>
      <Cell column="Expires">{expiresAt === null ? "Never" : <LocalDate timestamp={expiresAt} />}</Cell>
      <Cell column="Requests per minute" class="number">
        {rateLimit === null ? "Default" : formatCount(rateLimit)}
      </Cell>
      <td class="actions">
        {state !== "revoked" && (
          <button type="button" aria-label={`Revoke ${nameOfKey(apiKey)}`} onClick={() => onRevoke(apiKey)}>
            Revoke
          </button>
        )}
      </td>
    </tr>
  );
}

type CellProps = { column: (typeof columns)[number]; class?: string; children: ComponentChildren };

/** A value of a key. On a narrow screen, it shows the name of its column. */
function Cell({ column, children, ...attributes }: CellProps) {
  return (
    <td data-column={column} {...attributes}>
      {children}
    </td>
  );
}

function StateName({ state }: { state: KeyState }) {
  return <span class={`state ${state}`}>{states[state]}</span>;
}
