import type { components } from "../../../../../clients/typescript/src/schema.ts";
import type { RowMembers } from "../../editing/members.ts";

/** A row of the table that is selected. `updatedAt` shows whether an edit changes it. */
export type SelectedAccount = Pick<components["schemas"]["ListedAccount"], "id" | "name" | "updatedAt">;
/** What is done with all selected accounts: other values of some members, or their deletion. */
export type BulkChange = { kind: "edit"; members: RowMembers } | { kind: "delete" };

type Failure = { name: string; reason: string };
/** `changed` accounts were changed or deleted, `same` had the values before. The names are of the `changed` accounts. */
export type BulkOutcome = { changed: string[]; same: number; failures: Failure[] };
type Result = components["schemas"]["BatchResult"];

/** The result of each account, in the order of the operations. */
export function outcomeOf(accounts: readonly SelectedAccount[], results: readonly Result[]): BulkOutcome {
  const outcome: BulkOutcome = { changed: [], same: 0, failures: [] };
  for (const [i, { name, updatedAt }] of accounts.entries()) {
    const { status = 0, body } = results[i] ?? {};
    // Safe: the body of an operation is a row, a problem, or null.
    const { data, detail, title } = (body ?? {}) as {
      data?: { updatedAt?: string };
      detail?: string;
      title?: string;
    };
    if (status >= 300) outcome.failures.push({ name, reason: detail ?? title ?? String(status) });
    else if (data?.updatedAt === updatedAt) outcome.same += 1;
    else outcome.changed.push(name);
  }
  return outcome;
}
