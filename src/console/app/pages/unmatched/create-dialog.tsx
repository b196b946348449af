import { FormDialog } from "../../components/dialog.tsx";
import { FormField } from "../../editing/form-field.tsx";
import { formatCount } from "../../format.ts";
import { type AttachedAccount, createAccount, type UnmatchedEntry } from "./requests.ts";

/** Creates an account with the external id. */
export function CreateDialog({
  entry,
  onAttached,
  onClose,
}: {
  entry: UnmatchedEntry;
  onAttached: (account: AttachedAccount) => void;
  onClose: () => void;
}) {
  async function submit(values: FormData): Promise<void> {
    const mrr = Number(values.get("mrr") || 0);
    onAttached(await createAccount(entry, { name: String(values.get("name")), mrr }));
  }
  return (
    <FormDialog title="Create account" submitLabel="Create account" onSubmit={submit} onClose={onClose}>
      <dl class="facts">
        <dt>External id</dt>
        <dd>
          <code>{entry.externalId}</code>
        </dd>
        <dt>Events</dt>
        <dd>{formatCount(entry.count)}</dd>
      </dl>
      <FormField name="name">
        {(input) => (
          <input {...input} required maxLength={255} defaultValue={entry.externalId} autocomplete="off" />
        )}
      </FormField>
      <FormField name="mrr">
        {(input) => <input {...input} type="number" step="any" placeholder="0" />}
      </FormField>
    </FormDialog>
  );
}
