import { useState } from "preact/hooks";
import { maxSearchLength } from "../../address.ts";
import { FormDialog } from "../../components/dialog.tsx";
import { Loaded } from "../../components/layout.tsx";
import { FormField } from "../../editing/form-field.tsx";
import { formatCount } from "../../format.ts";
import { useDebounced, useRequest } from "../../use-request.ts";
import {
  type AccountCandidate,
  type AttachedAccount,
  CandidateChanged,
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
  const [text, setText] = useState("");
  const [isWithIds, setIsWithIds] = useState(false);
  const search = useDebounced(text.trim());
  const found = useRequest((signal) => findAccounts({ search, isWithIds }, signal), [search, isWithIds]);
  return (
    <>
      <label class="field">
        <span>Find an account</span>
        <input
          type="search"
          placeholder="Name or external id"
          maxLength={maxSearchLength}
          autocomplete="off"
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
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
        Include accounts that have an external id
      </label>
      <fieldset class="choices">
        <legend class="visually-hidden">Account</legend>
        <Loaded state={found} height={10}>
          {(accounts) =>
            accounts.length === 0 ? (
              <p class="hint" role="status">
                No account found.
                {!isWithIds && " Include accounts that have an external id, or create an account."}
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
                  {account.externalId !== null && <code class="hint">{account.externalId}</code>}
                </label>
              ))
            )
          }
        </Loaded>
      </fieldset>
    </>
  );
}

type LinkDialogProps = {
  entry: UnmatchedEntry;
  onAttached: (account: AttachedAccount) => void;
  onClose: () => void;
};

/** Gives the external id to an account that exists. */
export function LinkDialog({ entry, onAttached, onClose }: LinkDialogProps) {
  const [chosen, setChosen] = useState<AccountCandidate>();
  async function submit(): Promise<void> {
    if (!chosen) return;
    try {
      onAttached(await linkAccount(entry, chosen));
    } catch (error) {
      // The notice shows the external id that would be replaced.
      if (error instanceof CandidateChanged) setChosen({ ...chosen, externalId: error.externalId });
      throw error;
    }
  }
  return (
    <FormDialog
      title="Link to account"
      submitLabel="Link to account"
      onSubmit={submit}
      onClose={onClose}
      describeError={(error) =>
        error instanceof CandidateChanged ? (
          <p class="notice problem" role="alert">
            The external id of the account was changed meanwhile. Check it, and link again.
          </p>
        ) : undefined
      }
    >
      <p>
        The account gets the external id <code>{entry.externalId}</code> and its {formatCount(entry.count)}{" "}
        {entry.count === 1 ? "event" : "events"}.
      </p>
      <AccountChoice chosen={chosen} onChoose={setChosen} />
      {chosen && chosen.externalId !== null && (
        <p class="notice" role="status">
          The external id <code>{chosen.externalId}</code> of {chosen.name} is replaced. Later events with the
          old id do not reach this account.
        </p>
      )}
    </FormDialog>
  );
}

type CreateAccountProps = {
  entry: UnmatchedEntry;
  onAttached: (account: AttachedAccount) => void;
  onClose: () => void;
};

/** Creates an account with the external id. */
export function CreateDialog({ entry, onAttached, onClose }: CreateAccountProps) {
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
