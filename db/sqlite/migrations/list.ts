import type { FoldedColumn, Migration } from "../../migration.ts";
import { readMigrations } from "../../read-migrations.ts" with { type: "macro" };

const folded: Record<string, FoldedColumn[]> = {
  "0002_synchronised_lists": [
    ["contacts", "name", "folded_name"],
    ["contacts", "email", "folded_email", "address"],
    ["meetings", "title", "folded_title"],
    ["requests", "title", "folded_title"],
  ],
  "0018_persons": [["contacts", "email", "folded_email", "address"]],
};

/** In the order in which they are applied. Never edit or remove a released one: add the next. */
export const migrations: readonly Migration[] = readMigrations("sqlite").map((migration) => ({
  ...migration,
  folded: folded[migration.name] ?? [],
}));
