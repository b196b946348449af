import { useRef, useState } from "preact/hooks";
import { Dialog, FormDialog } from "../../components/dialog.tsx";
import { Select } from "../../components/select.tsx";
import { FormField } from "../../editing/form-field.tsx";
import { formatAge } from "../../format.ts";
import { type Scope, useSession } from "../../session.ts";
import { expiryOf } from "./key-state.ts";
import { createKey, type ListedKey, nameOfKey, type RevealedKey, revokeKey } from "./requests.ts";

const scopes: readonly { scope: Scope; text: string }[] = [
  { scope: "read", text: "Read all data except keys" },
  { scope: "write", text: "Change accounts, contacts, meetings and requests" },
  { scope: "events", text: "Send events and last-seen times" },
  { scope: "admin", text: "Manage keys and erase persons" },
];
const expiries = [
  ["never", "Never"],
  ["1", "In 1 day"],
  ["30", "In 30 days"],
  ["90", "In 90 days"],
  ["365", "In 1 year"],
  ["date", "On a day"],
] as const;

type CreateKeyDialogProps = { onCreated: (key: RevealedKey) => void; onClose: () => void };

/** Creates a key with at most the scopes of the session. */
export function CreateKeyDialog({ onCreated, onClose }: CreateKeyDialogProps) {
  const { can } = useSession();
  const [chosen, setChosen] = useState<readonly Scope[]>(can("read") ? ["read"] : []);
  async function submit(values: FormData): Promise<void> {
    const expiresAt = expiryOf(String(values.get("expiry")), String(values.get("day") ?? ""));
    const limit = String(values.get("rateLimit"));
    const name = String(values.get("name"));
    onCreated(
      await createKey({
        name,
        scopes: [...chosen],
        expiresAt,
        rateLimit: limit === "" ? null : Number(limit),
      }),
    );
  }
  return (
    <FormDialog title="Create key" submitLabel="Create key" onSubmit={submit} onClose={onClose}>
      <FormField name="name">
        {(input) => (
          <input {...input} required maxLength={255} placeholder="What the key is for" autocomplete="off" />
        )}
      </FormField>
      <fieldset class="scopes">
        <legend>Scopes</legend>
        {scopes
          .filter(({ scope }) => can(scope))
          .map(({ scope, text }, i) => (
            <label key={scope}>
              <input
                type="checkbox"
                checked={chosen.includes(scope)}
                ref={(input) =>
                  input?.setCustomValidity(i === 0 && chosen.length === 0 ? "Choose a scope." : "")
                }
                onChange={() => setChosen(toggle(chosen, scope))}
              />
              <span>
                <code>{scope}</code> <span class="hint">{text}</span>
              </span>
            </label>
          ))}
      </fieldset>
      <div class="fields">
        <Expiry />
        <FormField name="rateLimit">
          {(input) => (
            <input {...input} type="number" min={1} max={1_000_000} step={1} placeholder="Default" />
          )}
        </FormField>
      </div>
    </FormDialog>
  );
}

function Expiry() {
  const [choice, setChoice] = useState<(typeof expiries)[number][0]>("never");
  return (
    <>
      <Select label="Expires" name="expiry" options={expiries} value={choice} onChange={setChoice} />
      {choice === "date" && (
        <label class="field">
          <span>Day of expiry</span>
          <input name="day" type="date" required min={tomorrow()} max="9999-12-31" />
        </label>
      )}
    </>
  );
}

/** The local day after today, as a date input has it. */
function tomorrow(now = new Date()): string {
  const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1);
  const padded = (value: number) => String(value).padStart(2, "0");
  return `${day.getFullYear()}-${padded(day.getMonth() + 1)}-${padded(day.getDate())}`;
}

function toggle(chosen: readonly Scope[], scope: Scope): Scope[] {
  return chosen.includes(scope) ? chosen.filter((other) => other !== scope) : [...chosen, scope];
}

type RevokeDialogProps = { apiKey: ListedKey; onRevoked: () => void; onClose: () => void };

export function RevokeDialog({ apiKey, onRevoked, onClose }: RevokeDialogProps) {
  const { key } = useSession();
  async function submit(): Promise<void> {
    await revokeKey(apiKey.id);
    onRevoked();
  }
  return (
    <FormDialog title="Revoke key" submitLabel="Revoke key" isDangerous onSubmit={submit} onClose={onClose}>
      <p>
        <strong>{nameOfKey(apiKey)}</strong> <code>…{apiKey.lastFour}</code> stops working at once and for
        good.{" "}
        {apiKey.lastUsedAt === null
          ? "It was never used."
          : `It was last used ${formatAge(apiKey.lastUsedAt)}.`}
      </p>
      {apiKey.id === key.id && (
        <p class="notice problem">
          You are signed in with this key: revoking it signs you out, here and everywhere.
        </p>
      )}
    </FormDialog>
  );
}

/** Shows a new key, which the server does not show again. */
export function SecretDialog({ created, onClose }: { created: RevealedKey; onClose: () => void }) {
  return (
    <Dialog title={`Key ${nameOfKey(created)}`} onClose={onClose}>
      {created.key === undefined ? (
        <p>
          The key was created, but the reply with it was lost. Revoke <code>…{created.lastFour}</code> and
          create another key.
        </p>
      ) : (
        <Secret secret={created.key} />
      )}
      <footer>
        <button type="button" onClick={onClose}>
          Done
        </button>
      </footer>
    </Dialog>
  );
}

function Secret({ secret }: { secret: string }) {
  const [message, setMessage] = useState("");
  const input = useRef<HTMLInputElement>(null);
  async function copy(): Promise<void> {
    input.current?.select();
    setMessage((await copyText(secret)) ? "Copied" : "Copy the selected text by the keyboard.");
  }
  return (
    <>
      <p>Copy the key now. It is not shown again.</p>
      <div class="secret">
        <input
          ref={input}
          aria-label="Key"
          readOnly
          value={secret}
          onFocus={(event) => event.currentTarget.select()}
        />
        <button type="button" class="primary" onClick={copy}>
          Copy
        </button>
      </div>
      <p class="hint" role="status">
        {message}
      </p>
    </>
  );
}

/** False if the browser does not allow it, as for pages that are not local and not over TLS. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
