import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import { Dialog, DialogForm, useIsShown } from "../../components/dialog.tsx";
import { Loaded } from "../../components/layout.tsx";
import { bodyOf } from "../../editing/members.ts";
import { editing, accountSelection as text } from "../../messages/messages.ts";
import { useRequest } from "../../use-request.ts";
import type { ListedAttribute } from "./attribute-text.ts";
import { BulkForm } from "./bulk-form.tsx";
import { noteOf, OutcomeText } from "./bulk-outcome.tsx";
import { type BulkChange, type BulkOutcome, outcomeOf, type SelectedAccount } from "./outcome.ts";

type BulkDialogProps = {
  kind: BulkChange["kind"];
  accounts: readonly SelectedAccount[];
  attributes: readonly ListedAttribute[];
  /** Called with what was done, and whether the dialog was still open then. */
  onChanged: (note: string, isOpen: boolean) => void;
  onClose: () => void;
};

/** Edits or deletes accounts: the new values, then what a dry run says, then what has failed. */
export function BulkDialog({ kind, accounts, attributes, onChanged, onClose }: BulkDialogProps) {
  const [change, setChange] = useState<BulkChange | undefined>(kind === "delete" ? { kind } : undefined);
  const [done, setDone] = useState<BulkOutcome>();
  const isOpen = useIsShown();
  const count = accounts.length;
  const finish = (outcome: BulkOutcome) => change && onChanged(noteOf(change, outcome), isOpen());
  return (
    <Dialog
      title={kind === "delete" ? text.deleteTitle(count) : text.editTitle(count)}
      isSaved={done !== undefined}
      onClose={() => (done ? finish(done) : onClose())}
    >
      {!change && (
        <BulkForm attributes={attributes} onSubmit={(members) => setChange({ kind: "edit", members })} />
      )}
      {change && !done && (
        <Plan
          accounts={accounts}
          change={change}
          attributes={attributes}
          onDone={(outcome) =>
            // After it was closed, the table is loaded again without the list of what has failed.
            outcome.failures.length > 0 && isOpen() ? setDone(outcome) : finish(outcome)
          }
          onClose={onClose}
        />
      )}
      {change && done && (
        <Closing onClose={() => finish(done)}>
          <OutcomeText change={change} outcome={done} attributes={attributes} isDone />
        </Closing>
      )}
    </Dialog>
  );
}

function Closing({ children, onClose }: { children: ComponentChildren; onClose: () => void }) {
  return (
    <>
      {children}
      <footer>
        <button type="button" class="primary" onClick={onClose}>
          {editing.close}
        </button>
      </footer>
    </>
  );
}

type PlanProps = {
  accounts: readonly SelectedAccount[];
  change: BulkChange;
  attributes: readonly ListedAttribute[];
  onDone: (outcome: BulkOutcome) => void;
  onClose: () => void;
};

/** What a dry run of the change says, and the button that makes it. */
function Plan({ accounts, change, attributes, onDone, onClose }: PlanProps) {
  const state = useRequest((signal) => changeAccounts(accounts, change, { isDryRun: true, signal }), []);
  return (
    <Loaded state={state} height={8}>
      {(outcome) => {
        const count = outcome.changed.length;
        const lines = <OutcomeText change={change} outcome={outcome} attributes={attributes} />;
        if (count === 0) return <Closing onClose={onClose}>{lines}</Closing>;
        return (
          <DialogForm
            submitLabel={change.kind === "delete" ? text.deleteTitle(count) : text.editTitle(count)}
            isDangerous={change.kind === "delete"}
            onSubmit={async () => onDone(await changeAccounts(accounts, change, { isDryRun: false }))}
          >
            {lines}
          </DialogForm>
        );
      }}
    </Loaded>
  );
}

/** Changes the accounts in one transaction; one that fails does not affect the others. A dry run stores nothing. */
async function changeAccounts(
  accounts: readonly SelectedAccount[],
  change: BulkChange,
  { isDryRun, signal = null }: { isDryRun: boolean; signal?: AbortSignal | null },
): Promise<BulkOutcome> {
  const operations = accounts.map(({ id }) => {
    const path = `/api/v1/accounts/${id}`;
    if (change.kind === "delete") return { method: "DELETE" as const, path };
    return { method: "PATCH" as const, path, body: bodyOf<Record<string, unknown>>(change.members) };
  });
  const stored = change.kind === "edit" ? await readTimes(accounts, signal) : new Map<number, string>();
  const { data } = await api.POST("/api/v1/batch", {
    params: { query: isDryRun ? { dryRun: "true" } : {} },
    body: { mode: "partial", operations },
    signal,
  });
  const current = accounts.map((account) => ({
    ...account,
    updatedAt: stored.get(account.id) ?? account.updatedAt,
  }));
  return outcomeOf(current, data.data.results);
}

/** When the accounts, at most 100, were updated: the rows of the table may be older. */
async function readTimes(
  accounts: readonly SelectedAccount[],
  signal: AbortSignal | null,
): Promise<Map<number, string>> {
  const query = { "id.in": accounts.map(({ id }) => id), pageSize: 100, fields: ["updatedAt" as const] };
  const { data } = await api.GET("/api/v1/accounts", { params: { query }, signal });
  return new Map(data.data.map(({ id, updatedAt }) => [id, updatedAt]));
}
