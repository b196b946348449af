import { Database } from "bun:sqlite";
import { openDatabase } from "../db/sqlite/engine.ts";
import type { AnyChange, ResourceRows } from "../src/core/changes/changes.ts";
import { TenantTransaction } from "../src/core/tenant/transaction.ts";
import { accountOf } from "./companies.ts";
import type { Org } from "./data.ts";

/** The number of changes of each account: a page of the change feed has the changes of 100 accounts. */
export const changesPerAccount = 10;
const accountsPerTransaction = 100;

type Accounts = Pick<Org, "id" | "accounts" | "firstAccountId">;

/** Records changes of all accounts of an organization, as the service does. The rows are not changed. */
export async function fillChanges(file: string, org: Accounts): Promise<void> {
  // Now: the service deletes old changes.
  const engine = openDatabase(file, { clock: Date.now });
  try {
    for (let from = 0; from < org.accounts; from += accountsPerTransaction) {
      const caller = {
        organizationId: org.id,
        actor: { type: "key", id: org.id, name: "bench" } as const,
        requestId: `5f0c1a52-7d1e-4b7c-9a3e-${String(from).padStart(12, "0")}`,
      };
      const count = Math.min(accountsPerTransaction, org.accounts - from);
      const changes = Array.from({ length: count }, (_, i) => changesOf(org, from + i)).flat();
      await engine.write(org.id, (tx) => new TenantTransaction(tx, caller, []).record(changes));
    }
  } finally {
    await engine.close();
  }
}

/** The account and two contacts are created, MRR changes five times, then the attributes and the tier. */
function changesOf({ id: organizationId, accounts, firstAccountId }: Accounts, index: number): AnyChange[] {
  const account = accountOf(organizationId, index, accounts);
  const id = firstAccountId + index;
  const noTimes = { attributes: "{}", memberTimes: null, version: 1 };
  const created = { id, ...account, updatedAt: account.createdAt, ...noTimes };
  const contact = (number: number): ResourceRows["contact"] => ({
    ...{ id: 2 * id + number, accountId: id, externalId: null, name: `Ada Lovelace ${id}` },
    ...{ email: `ada.${number}@c${id}.example.com`, userId: null, lastSeenAt: null },
    ...{ createdAt: account.createdAt, updatedAt: account.createdAt, ...noTimes },
  });
  const about = { resource: "account", id, accountId: id } as const;
  const changes: AnyChange[] = [
    { ...about, action: "created", before: null, after: created },
    ...[0, 1].map((number): AnyChange => {
      const after = contact(number);
      return { resource: "contact", action: "created", id: after.id, accountId: id, before: null, after };
    }),
  ];
  let before = created;
  const update = (changed: "mrr" | "attributes", value: Partial<typeof created>) => {
    const after = { ...before, ...value, updatedAt: before.updatedAt + 86_400_123 };
    changes.push({ ...about, action: "updated", before, after, changed: [changed, "updatedAt"] });
    before = after;
  };
  for (let month = 1; month <= 5; month++) update("mrr", { mrr: account.mrr + 10 * month });
  update("attributes", { attributes: JSON.stringify({ plan: "pro", seats: index % 1_000 }) });
  const [old, tier] = [
    { tier: "healthy", score: 81.5 },
    { tier: "at_risk", score: 55 },
  ];
  changes.push({ ...about, action: "health_changed", before: old, after: tier });
  return changes;
}

/** Bytes on disk for each change, with its part of the index by account. Creates the file. */
export async function bytesOfChange(file: string): Promise<number> {
  const accounts = 1_000;
  await openDatabase(file, { clock: Date.now, canCreate: true }).close();
  const database = new Database(file);
  database.run("INSERT INTO organizations (id, name, folded_name, created_at) VALUES (1, 'A', 'a', 0)");
  await fillChanges(file, { id: 1, accounts, firstAccountId: 1 });
  const row = database
    .query<{ bytes: number }, []>(
      "SELECT sum(pgsize) AS bytes FROM dbstat WHERE name IN ('changes', 'account_changes')",
    )
    .get();
  database.close();
  return (row?.bytes ?? 0) / (accounts * changesPerAccount);
}
