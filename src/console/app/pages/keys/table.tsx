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
const columns = ["Name", "State", "Scopes", "Last used", "Created", "Expires"];

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
              <th key={name} scope="col">
                {name}
              </th>
            ))}
            <th scope="col" class="number optional">
              Requests per minute
            </th>
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
      <td>
        <StateName state={state} />
      </td>
      <td>{scopes.join(", ")}</td>
      <td>{lastUsedAt === null ? "Never" : <Age timestamp={lastUsedAt} />}</td>
      <td>
        <LocalDate timestamp={createdAt} />
      </td>
      <td>{expiresAt === null ? "Never" : <LocalDate timestamp={expiresAt} />}</td>
      <td class="number optional">{rateLimit === null ? "Default" : formatCount(rateLimit)}</td>
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

function StateName({ state }: { state: KeyState }) {
  return <span class={`state ${state}`}>{states[state]}</span>;
}
