import { upsertAccounts } from "../account-batches/store.ts";
import { contactStore } from "../contacts/store.ts";
import { type FieldViolation, Problem } from "../core/errors.ts";
import type { FileResource } from "../core/file-resources.ts";
import { Pauses } from "../core/pauses.ts";
import { type AccountReference, findAccounts } from "../core/resource/account-reference.ts";
import { notFound } from "../core/resource/resource.ts";
import type { TenantTransaction } from "../core/tenant/tenant.ts";
import { featureRequestStore } from "../feature-requests/store.ts";
import { meetingStore } from "../meetings/store.ts";
import type { RowResult } from "../shared/unique-rows.ts";

/** A row of any resource, which is valid by its schema. */
export type ImportedRow = { externalId: string } & AccountReference & Readonly<Record<string, unknown>>;
type ImportItem = ImportedRow | Problem;

/** What an import uses of the store of a sub-resource, for any input. */
type UpsertStore<Row> = {
  findAllByExternalId(tx: TenantTransaction, externalIds: readonly string[]): Promise<Row[]>;
  upsert(
    tx: TenantTransaction,
    existing: Row | undefined,
    input: object,
    account: number | undefined,
  ): Promise<{ row: Row; isNew: boolean }>;
};

/**
 * Creates or updates rows by `externalId`, each for itself: one that is rejected leaves nothing behind. Those that are a
 * Problem already are rejected. No two rows have the same `externalId`. Throws errors that are no problems.
 */
export async function importRows(
  tx: TenantTransaction,
  resource: FileResource,
  items: readonly ImportItem[],
): Promise<RowResult[]> {
  switch (resource) {
    case "accounts":
      return importAccounts(tx, items);
    case "contacts":
      return importSubRows(tx, contactStore, items);
    case "meetings":
      return importSubRows(tx, meetingStore, items);
    case "requests":
      return importSubRows(tx, featureRequestStore, items);
  }
}

async function importAccounts(tx: TenantTransaction, items: readonly ImportItem[]): Promise<RowResult[]> {
  const upserts = items.map((item) =>
    item instanceof Problem ? item : { account: item, contacts: [], meetings: [], requests: [] },
  );
  const results = await upsertAccounts(tx, upserts);
  return results.map((item) =>
    item.result === "failed"
      ? { result: "rejected", reason: reasonOf(item.problem) }
      : { result: item.result },
  );
}

async function importSubRows<Row extends { externalId: string | null }>(
  tx: TenantTransaction,
  store: UpsertStore<Row>,
  items: readonly ImportItem[],
): Promise<RowResult[]> {
  const valid = items.flatMap((item) => (item instanceof Problem ? [] : item));
  const [rows, accountOf] = await Promise.all([
    store.findAllByExternalId(
      tx,
      valid.map(({ externalId }) => externalId),
    ),
    findAccounts(tx, valid.map(referenceOf)),
  ]);
  const stored = new Map(rows.map((row) => [row.externalId, row]));
  const pauses = new Pauses(tx);

  async function importOne(item: ImportedRow): Promise<RowResult> {
    const { accountId, accountExternalId, ...input } = item;
    const account = accountOf(referenceOf(item));
    const hasReference = accountId !== undefined || accountExternalId !== undefined;
    if (hasReference && account === undefined)
      notFound("account", accountExternalId === undefined ? "id" : "externalId");
    const existing = stored.get(item.externalId);
    const { row, isNew } = await store.upsert(tx, existing, input, account);
    if (isNew) return { result: "created" };
    return { result: row === existing ? "unchanged" : "updated" };
  }

  const results: RowResult[] = [];
  for (const item of items) {
    await pauses.next();
    const result = item instanceof Problem ? item : await tx.attempt(() => importOne(item));
    results.push(result instanceof Problem ? { result: "rejected", reason: reasonOf(result) } : result);
  }
  return results;
}

/** The external id is used first: ids of a file that was exported may be those of other accounts here. */
function referenceOf({ accountId, accountExternalId }: AccountReference): AccountReference {
  return accountExternalId === undefined ? { accountId } : { accountExternalId };
}

/** The reason in a line: the members that are wrong, and what they must be. Never a value. */
function reasonOf({ errors, message }: Problem): string {
  return errors.length === 0 ? message : errors.map(describeViolation).join("; ");
}

function describeViolation(violation: FieldViolation): string {
  const pointer = "pointer" in violation ? violation.pointer : "";
  // The pointers of accounts begin with the index in their batch.
  const member = pointer.replace(/^\/accounts\/\d+(?=\/)/, "").slice(1);
  return `${member.replaceAll("/", ".")} ${violation.detail}`;
}
