import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import { Choices } from "../../components/choices.tsx";
import { FormDialog } from "../../components/dialog.tsx";
import { Select } from "../../components/select.tsx";
import { FormField } from "../../editing/form-field.tsx";
import { localTimeOf } from "../../editing/form-values.ts";
import { formatAge } from "../../format.ts";
import { fields, keys as text } from "../../messages/messages.ts";
import { type Scope, useSession } from "../../session.ts";
import { expiryOf } from "./key-state.ts";
import { type ListedKey, nameOfKey, type RevealedKey } from "./requests.ts";

const { labels } = fields;
const scopes = ["read", "write", "events", "admin"] as const satisfies readonly Scope[];
const expiries = (["never", "1", "30", "90", "365", "date"] as const).map(
  (choice) => [choice, text.create.expiries[choice]] as const,
);

type CreateKeyDialogProps = { onCreated: (key: RevealedKey) => void; onClose: () => void };

/** Creates a key with at most the scopes of the session. */
export function CreateKeyDialog({ onCreated, onClose }: CreateKeyDialogProps) {
  const { can } = useSession();
  const [chosen, setChosen] = useState<readonly Scope[]>(can("read") ? ["read"] : []);
  async function submit(values: FormData): Promise<void> {
    const expiresAt = expiryOf(String(values.get("expiry")), String(values.get("day") ?? ""));
    const limit = String(values.get("rateLimit"));
    const rateLimit = limit === "" ? null : Number(limit);
    const body = { name: String(values.get("name")), scopes: [...chosen], expiresAt, rateLimit };
    onCreated((await api.POST("/api/v1/keys", { body })).data.data);
  }
  return (
    <FormDialog title={text.create.title} onSubmit={submit} onClose={onClose}>
      <FormField name="name">
        {(input) => (
          <input
            {...input}
            required
            maxLength={255}
            placeholder={text.create.namePlaceholder}
            autocomplete="off"
          />
        )}
      </FormField>
      <Choices
        legend={labels.scopes}
        options={scopes.filter(can).map((scope) => [
          scope,
          <>
            {text.create.scopes[scope]} <code class="muted">{scope}</code>
          </>,
        ])}
        chosen={chosen}
        onChange={setChosen}
        fault={chosen.length === 0 ? text.create.noScope : ""}
      />
      <div class="fields">
        <Expiry />
        <FormField name="rateLimit">
          {(input) => (
            <input {...input} type="number" min={1} max={1_000_000} step={1} placeholder={text.default} />
          )}
        </FormField>
      </div>
    </FormDialog>
  );
}

function Expiry() {
  const [choice, setChoice] = useState<(typeof expiries)[number][0]>("never");
  // Some local days have 23 or 25 hours.
  const day = new Date();
  day.setDate(day.getDate() + 1);
  const tomorrow = localTimeOf(day.toISOString()).slice(0, 10);
  return (
    <>
      <Select label={labels.expiresAt} name="expiry" options={expiries} value={choice} onChange={setChoice} />
      {choice === "date" && (
        <label class="field">
          <span>{text.create.day}</span>
          <input name="day" type="date" required min={tomorrow} max="9999-12-31" />
        </label>
      )}
    </>
  );
}

type RevokeDialogProps = { apiKey: ListedKey; onRevoked: () => void; onClose: () => void };

export function RevokeDialog({ apiKey, onRevoked, onClose }: RevokeDialogProps) {
  const { key } = useSession();
  async function submit(): Promise<void> {
    await api.DELETE("/api/v1/keys/{keyId}", { params: { path: { keyId: apiKey.id } } });
    onRevoked();
  }
  return (
    <FormDialog title={text.revoke.title} isDangerous onSubmit={submit} onClose={onClose}>
      <p>
        <strong>{nameOfKey(apiKey)}</strong> <code>…{apiKey.lastFour}</code> {text.revoke.stops}{" "}
        {apiKey.lastUsedAt === null
          ? text.revoke.neverUsed
          : text.revoke.lastUsed(formatAge(apiKey.lastUsedAt))}
      </p>
      {apiKey.id === key.id && <p class="notice problem">{text.revoke.own}</p>}
    </FormDialog>
  );
}
