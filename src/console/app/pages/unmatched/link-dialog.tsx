import { useState } from "preact/hooks";
import { FormDialog } from "../../components/dialog.tsx";
import { formatCount } from "../../format.ts";
import { AccountChoice } from "./account-choice.tsx";
import {
  type AccountCandidate,
  type AttachedAccount,
  CandidateChanged,
  linkAccount,
  type UnmatchedEntry,
} from "./requests.ts";

/** Gives the external id to an account that exists. */
export function LinkDialog({
  entry,
  onAttached,
  onClose,
}: {
  entry: UnmatchedEntry;
  onAttached: (account: AttachedAccount) => void;
  onClose: () => void;
}) {
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
