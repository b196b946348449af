import { UnusableDatabase } from "./errors.ts";

/** The table that the target of a copy has until the copy is complete. Only `accountd copy` opens such a database. */
export const unfinishedTable = "unfinished_copy";
export const unfinishedMessage =
  "The database is the target of a copy that did not finish. Run the same accountd copy again.";

/** One change of the schema. Its version is its position in the list of its engine, from 1. */
export type Migration = {
  readonly name: string;
  readonly sql: string;
  readonly folded?: readonly FoldedColumn[];
};

/** A column with the folded form of another column, which SQL cannot compute: table, text, folded text. */
export type FoldedColumn = readonly [table: string, text: string, folded: string, form?: "address"];

/** How the service folds texts and e-mail addresses. */
export type Folding = {
  /** Case-folds a text. */
  fold?: ((text: string) => string) | undefined;
  foldAddress?: ((text: string) => string) | undefined;
};

/** The function for a column. Throws when the caller passed none. */
export function foldingOf([, , , form]: FoldedColumn, { fold, foldAddress }: Folding) {
  const name = form === "address" ? "foldAddress" : "fold";
  const folding = { fold, foldAddress }[name];
  if (!folding) throw new Error(`this upgrade has texts to fold and needs the option ${name}`);
  return folding;
}

/** A contact with its stored folded address. Ids may be decimal texts. */
export type AddressRow = {
  id: number | string;
  organizationId: number | string;
  accountId: number | string;
  text: string;
  foldedText: string;
};
export type Refolded = { id: number | string; folded: string };

/**
 * The folded addresses to store, for rows in ascending order of ids: first `unique` of each row, which is unique by the id;
 * then `first` of the oldest row of an account with the address, unless another row of the account has it.
 */
export function refoldAddresses(
  rows: readonly AddressRow[],
  foldAddress: (text: string) => string,
): { unique: Refolded[]; first: Refolded[] } {
  const unique: Refolded[] = [];
  const first = new Map<string, Refolded>();
  for (const { id, organizationId, accountId, text, foldedText } of rows) {
    const folded = foldAddress(text);
    if (folded === foldedText) continue;
    unique.push({ id, folded: `${folded} ${id}` });
    const key = `${organizationId} ${accountId} ${folded}`;
    if (!first.has(key)) first.set(key, { id, folded });
  }
  return { unique, first: [...first.values()] };
}

/** A migration of this binary, and when it was applied (milliseconds since 1970 UTC), or null. */
export type MigrationState = { name: string; appliedAt: number | null };

/** The SHA-256 of a migration, which is stored with it. */
export function hashOf({ sql }: Migration): string {
  return new Bun.CryptoHasher("sha256").update(sql).digest("hex");
}

/** A row of the table of applied migrations: the hash and, in milliseconds since 1970 UTC, the time. */
export type AppliedMigration = { sha256: string; applied_at: number | string };
export const selectApplied = "SELECT sha256, applied_at FROM schema_migrations ORDER BY version";

/** Each migration in order, and when it was applied. */
export function statesOf(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[],
): MigrationState[] {
  return migrations.map(({ name }, i) => ({
    name,
    appliedAt: applied[i] ? Number(applied[i].applied_at) : null,
  }));
}

export function countPending(states: readonly MigrationState[]): number {
  return states.filter(({ appliedAt }) => appliedAt === null).length;
}

/** Returns the applied migrations. Throws UnusableDatabase when they are not the first ones of the list. */
export function checkApplied(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[],
): readonly AppliedMigration[] {
  if (applied.length > migrations.length)
    throw new UnusableDatabase(
      "The database was made by a newer accountd. Install that version or a later one.",
    );
  for (const [i, migration] of migrations.slice(0, applied.length).entries())
    if (applied[i]?.sha256 !== hashOf(migration))
      throw new UnusableDatabase(
        `Migration ${i + 1} of the database differs from this binary's. Use the accountd that created the database.`,
      );
  return applied;
}
