import { Database } from "bun:sqlite";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { migrations } from "../../db/sqlite/migrations/list.ts";
import { fold, foldAddress } from "../../src/core/folding.ts";
import { temporaryFile } from "../support/world.ts";

/** The schema of 0.3.0: the databases of users before 0.5.0 have it or an earlier one. */
export const releasedVersion = 6;

/** What a database of the first version contains. Ids have gaps, as after changes that were rolled back. */
export const firstContent = `
  INSERT INTO organizations VALUES (1, 'First', 'first', 10), (2, 'Second', 'second', 20);
  INSERT INTO api_keys VALUES (4, 1, 'laptop', '${"ab".repeat(32)}', 'wxyz', 30, NULL, 40, 50);
  INSERT INTO accounts VALUES
    (5, 1, 'Éclair', 'éclair', 'É', 'é', 10.5, 'onboarding', 'https://x.io/a.png', 60, 70, 80),
    (9, 2, 'Acme', 'acme', NULL, NULL, 0, 'active', NULL, NULL, 90, 90);
  INSERT INTO account_counts VALUES (1, 'onboarding', 1), (2, 'active', 1);
  INSERT INTO contacts VALUES
    (3, 1, 5, 'Ada LOVELACE', 'Ada@X.io', 100),
    (7, 2, 9, 'Grace', NULL, 110),
    (8, 2, 9, 'ada', 'ADA@x.io', 120);
  INSERT INTO meetings VALUES (2, 1, 5, 'Quarterly REVIEW', 130, 140, 150), (6, 2, 9, '', 160, 160, 155);
  INSERT INTO requests VALUES
    (1, 1, 5, 'SSO', 'Open', 1, 200, 210),
    (2, 1, 5, 'Audit Trail', 'Planned', 2, 220, 230),
    (4, 1, 5, 'Export', 'Started', 3, 240, 250),
    (11, 1, 5, 'MOBILE View', 'Done', 4, 260, 270),
    (12, 2, 9, 'Dark mode', 'Declined', 5, 290, 280);`;

/** Rows of the tables that each version added. */
const addedContent: Record<number, string> = {
  3: `INSERT INTO events VALUES
        (2, 1, 5, NULL, 'm1', 'login', 1000, 'u1', '{"a":1}', 1001),
        (3, 1, NULL, 'later', 'm2', 'login', 1002, NULL, NULL, 1003),
        (8, 1, NULL, NULL, NULL, 'login', 1004, NULL, NULL, 1005);
      INSERT INTO unmatched_ids VALUES (4, 1, 'later', 1, 1002, 1002);
      INSERT INTO usage_days VALUES (1, 5, 0, 'login', 3, 2, 'u1', 1000, 1004);
      INSERT INTO usage_users VALUES (1, 5, 0, 'login', 'u2');
      INSERT INTO expiring_days VALUES (1, 0, 5, 'login');`,
  4: `INSERT INTO last_seen VALUES (1, 5, 'crm', 1006);
      INSERT INTO health_progress VALUES (1, 8);`,
};

/** A database of this version with content of all its tables; `more` is run last. */
export async function databaseOfVersion(version: number, more = ""): Promise<string> {
  const file = temporaryFile("accountd.db");
  for (let applied = 1; applied <= version; applied += 1) {
    const options = { clock: () => applied, canCreate: true, isExclusive: true, fold };
    await openDatabase(file, { ...options, migrations: migrations.slice(0, applied) }).close();
    change(file, applied === 1 ? firstContent : (addedContent[applied] ?? ""));
  }
  change(file, more);
  return file;
}

export async function upgrade(file: string): Promise<void> {
  await openDatabase(file, { clock: () => 100, isExclusive: true, fold, foldAddress }).close();
}

/** Runs SQL with foreign keys. */
export function change(file: string, sql: string): void {
  const client = new Database(file, { readwrite: true, create: false });
  client.run("PRAGMA foreign_keys = ON");
  if (sql !== "") client.run(sql);
  client.close();
}
