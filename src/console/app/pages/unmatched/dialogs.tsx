import { useState } from "preact/hooks";
import { maxSearchLength } from "../../address.ts";
import { FormDialog } from "../../components/dialog.tsx";
import { Loaded } from "../../components/layout.tsx";
import { Fields } from "../../editing/form-field.tsx";
import { initialOf, inputsOf, readFields } from "../../editing/form-values.ts";
import { fields as fieldTexts, unmatched as text } from "../../messages/messages.ts";
import { useDebounced, useRequest } from "../../use-request.ts";
import {
  type AccountCandidate,
  type AttachedAccount,
  createAccount,
  findAccounts,
  linkAccount,
  type UnmatchedEntry,
} from "./requests.ts";

type AccountChoiceProps = {
  chosen: AccountCandidate | undefined;
  onChoose: (account: AccountCandidate | undefined) => void;
};

/** A search as you type, and its first results to choose one of. */
function AccountChoice({ chosen, onChoose }: AccountChoiceProps) {
  const [typed, setTyped] = useState("");
  const [isWithIds, setIsWithIds] = useState(false);
  const search = useDebounced(typed.trim());
  const found = useRequest((signal) => findAccounts({ search, isWithIds }, signal), [search, isWithIds]);
  return (
    <>
      <label class="field">
        <span>{text.findAccount}</span>
        <input
          type="search"
          placeholder={text.nameOrId}
          maxLength={maxSearchLength}
          autocomplete="off"
          value={typed}
          onInput={(event) => {
            setTyped(event.currentTarget.value);
            onChoose(undefined);
          }}
        />
      </label>
      <label class="row">
        <input
          type="checkbox"
          checked={isWithIds}
          onChange={(event) => {
            setIsWithIds(event.currentTarget.checked);
            onChoose(undefined);
          }}
        />
        {text.withIds}
      </label>
      <fieldset class="choices">
        <legend class="visually-hidden">{fieldTexts.labels.accountId}</legend>
        <Loaded state={found} height={10}>
          {(accounts) =>
            accounts.length === 0 ? (
              <p class="hint" role="status">
                {text.noAccount} {!isWithIds && text.tryWithIds}
              </p>
            ) : (
              accounts.map((account) => (
                <label key={account.id} class="choice">
                  <input
                    type="radio"
                    name="account"
                    required
                    checked={chosen?.id === account.id}
                    onChange={() => onChoose(account)}
                  />
                  <span>{account.name}</span>
                  {account.externalId !== null && <code class="hint clip">{account.externalId}</code>}
                </label>
              ))
            )
          }
        </Loaded>
      </fieldset>
    </>
  );
}

type AttachDialogProps = {
  entry: UnmatchedEntry;
  onAttached: (account: AttachedAccount) => void;
  onClose: () => void;
};

/** Gives the external id to an account that exists. */
export function LinkDialog({ entry, onAttached, onClose }: AttachDialogProps) {
  const [chosen, setChosen] = useState<AccountCandidate>();
  async function submit(): Promise<void> {
    if (!chosen) return;
    // The notice shows the external id that would be replaced.
    onAttached(await linkAccount(entry, chosen, (externalId) => setChosen({ ...chosen, externalId })));
  }
  return (
    <FormDialog title={text.link} onSubmit={submit} onClose={onClose}>
      <p>{text.gets(entry.externalId, entry.count)}</p>
      <AccountChoice chosen={chosen} onChoose={setChosen} />
      {chosen && chosen.externalId !== null && (
        <p class="notice" role="status">
          {text.replaced(chosen.externalId, chosen.name)}
        </p>
      )}
    </FormDialog>
  );
}

const fields = inputsOf("accounts", { isNew: true }).filter(({ name }) => name === "name" || name === "mrr");

/** Creates an account with the external id. */
export function CreateDialog({ entry, onAttached, onClose }: AttachDialogProps) {
  const members = { ...initialOf("accounts"), name: entry.externalId };
  async function submit(form: FormData): Promise<void> {
    onAttached(await createAccount(entry, readFields(fields, form, members)));
  }
  return (
    <FormDialog title={text.create} onSubmit={submit} onClose={onClose}>
      <p>{text.gets(entry.externalId, entry.count)}</p>
      <Fields fields={fields} members={members} />
    </FormDialog>
  );
}
