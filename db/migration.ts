import { UnusableDatabase } from "./errors.ts";

/** The table that the target of a copy has until the copy is complete. Only `accountd copy` opens such a database. */
export const unfinishedTable = "unfinished_copy";
export const unfinishedMessage =
  "The database is the target of a copy that did not finish. Run the same accountd copy again.";

/** One change of the schema. Its version is its position in the list of its engine, from 1. */
export type Migration = {
  readonly name: string;
  readonly sql: string;
  /** Columns with the case-folded form of another column, which SQL cannot compute: table, text, folded text. */
  readonly folded?: readonly (readonly [table: string, text: string, folded: string])[];
};

/** A migration of this binary, and when it was applied (milliseconds since 1970 UTC), or null. */
export type MigrationState = { name: string; appliedAt: number | null };

/** The SHA-256 of a migration, which is stored with it. */
export function hashOf({ sql }: Migration): string {
  return new Bun.CryptoHasher("sha256").update(sql).digest("hex");
}

/**
 * Throws UnusableDatabase when the applied migrations, given by their hashes, are not the first ones of the list.
 */
export function checkApplied(applied: readonly string[], migrations: readonly Migration[]): void {
  if (applied.length > migrations.length)
    throw new UnusableDatabase(
      "The database was made by a newer accountd. Install that version or a later one.",
    );
  for (const [i, migration] of migrations.slice(0, applied.length).entries())
    if (applied[i] !== hashOf(migration))
      throw new UnusableDatabase(
        `Migration ${i + 1} of the database differs from this binary's. Use the accountd that created the database.`,
      );
}
