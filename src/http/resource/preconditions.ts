import { Problem } from "../../core/errors.ts";
import type { LookUp } from "../../core/tenant/tenant.ts";
import type { TenantTransaction } from "../../core/tenant/transaction.ts";
import { invalidHeader, matchesRow, type RowVersion, readEntityTags } from "../replies/entity-tags.ts";

/** How preconditions find the row of a write: by the parameters of its path. */
export type Preconditions<Params> = {
  lookUp(params: Params): LookUp<RowVersion>;
  /** Whether the write creates a row that does not exist. */
  canCreate?: boolean;
};

/**
 * Returns a function that checks the preconditions of the request on the row that `lookUp` finds, throws
 * `precondition_failed`, and calls `write`. If-Match compares the version and the id; `If-None-Match: *` requires that there
 * is no row. Without these headers it returns `write` itself. Throws `invalid_request` for an invalid header.
 */
export function withPreconditions<Params, T>(
  { request: { headers }, params }: { request: Request; params: Params },
  { lookUp, canCreate = false }: Preconditions<Params>,
  write: (tx: TenantTransaction) => Promise<T>,
): (tx: TenantTransaction) => Promise<T> {
  const matching = readEntityTags(headers, "If-Match");
  const noneMatching = readEntityTags(headers, "If-None-Match");
  if (matching === undefined && noneMatching === undefined) return write;
  if (noneMatching !== undefined && noneMatching !== "*") throw invalidHeader("If-None-Match", 'must be "*"');
  return async (tx) => {
    const { statement, values } = lookUp(params);
    const row = await tx.first(statement, values);
    // The write throws `not_found`.
    if (!row && !canCreate) return write(tx);
    if (row && noneMatching) throw new Problem("precondition_failed", { detail: exists });
    if (matching && !(row && matchesRow(matching, row))) throw new Problem("precondition_failed");
    return write(tx);
  };
}

const exists = "There is a row already. Send the request without If-None-Match to update it.";
