import { expect, test } from "bun:test";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { migrations } from "../../db/sqlite/migrations/list.ts";
import { fold, foldAddress } from "../../src/core/folding.ts";
import { temporaryFile } from "../support/world.ts";
import { read } from "./families.ts";
import { change, firstContent as content, upgrade } from "./versions.ts";

/** A database of the first version with this content. */
async function firstVersion(sql: string): Promise<string> {
  const file = temporaryFile("accountd.db");
  await openDatabase(file, { clock: () => 1, canCreate: true, migrations: migrations.slice(0, 1) }).close();
  change(file, sql);
  return file;
}

test("an upgrade folds names, titles and e-mail addresses, and sets updatedAt to createdAt", async () => {
  const file = await firstVersion(content);
  await upgrade(file);
  const shared = "id, external_id, created_at, updated_at";
  expect(
    read(file, `SELECT ${shared}, folded_name, folded_email, last_seen_at FROM contacts ORDER BY id`),
  ).toEqual([
    { ...unchanged(3, 100), folded_name: "ada lovelace", folded_email: "ada@x.io", last_seen_at: null },
    { ...unchanged(7, 110), folded_name: "grace", folded_email: null, last_seen_at: null },
    { ...unchanged(8, 120), folded_name: "ada", folded_email: "ada@x.io", last_seen_at: null },
  ]);
  expect(read(file, `SELECT ${shared}, folded_title FROM meetings ORDER BY id`)).toEqual([
    { ...unchanged(2, 150), folded_title: "quarterly review" },
    { ...unchanged(6, 155), folded_title: "" },
  ]);
  expect(read(file, `SELECT ${shared}, folded_title FROM requests ORDER BY id`)).toEqual([
    { ...unchanged(1, 210), folded_title: "sso" },
    { ...unchanged(2, 230), folded_title: "audit trail" },
    { ...unchanged(4, 250), folded_title: "export" },
    { ...unchanged(11, 270), folded_title: "mobile view" },
    { ...unchanged(12, 280), folded_title: "dark mode" },
  ]);
});

test("an upgrade folds texts as the service does: with SQL for ASCII, with fold and foldAddress for other letters", async () => {
  const texts = [
    "Éclair",
    "STRASSE",
    "Straße",
    "ΟΔΥΣΣΕΥΣ",
    "İstanbul",
    "日本",
    "plain",
    "\x7f\x01",
    "a[b]^c",
    "🙂 Ärger",
  ];
  const rows = texts.map((text, i) => {
    const id = 20 + i;
    return `
      INSERT INTO contacts VALUES (${id}, 1, 5, '${text}', '${id}${text.replaceAll(" ", "")}@${text.replaceAll(" ", "")}', 1);
      INSERT INTO meetings VALUES (${id}, 1, 5, '${text}', 1, 1, 1);
      INSERT INTO requests VALUES (${id}, 1, 5, '${text}', 'Open', 1, 1, 1);`;
  });
  const file = await firstVersion(content + rows.join(""));
  await upgrade(file);
  for (const [table, text, folded, folding] of [
    ["contacts", "name", "folded_name", fold],
    ["contacts", "email", "folded_email", foldAddress],
    ["meetings", "title", "folded_title", fold],
    ["requests", "title", "folded_title", fold],
  ] as const) {
    const upgraded = read<{ text: string; folded: string }>(
      file,
      `SELECT ${text} AS text, ${folded} AS folded FROM ${table} WHERE id >= 20`,
    );
    expect(upgraded).toHaveLength(texts.length);
    expect(upgraded.map((row) => row.folded)).toEqual(upgraded.map((row) => folding(row.text)));
  }
});

test("an upgrade that needs fold and does not have it is rolled back", async () => {
  const file = await firstVersion(content.replace("'Grace'", "'Éva'"));
  expect(() => openDatabase(file, { clock: () => 2, isExclusive: true })).toThrow("fold");
  await upgrade(file);
  expect(read(file, "SELECT folded_name FROM contacts WHERE id = 7")).toEqual([{ folded_name: "éva" }]);
});

function unchanged(id: number, at: number) {
  return { id, external_id: null, created_at: at, updated_at: at };
}

test("an upgrade sets resolvedAt of a Done or Declined request to the later of requestedAt and createdAt", async () => {
  const file = await firstVersion(content);
  await upgrade(file);
  expect(read(file, "SELECT id, status, resolved_at FROM requests ORDER BY id")).toEqual([
    { id: 1, status: "Open", resolved_at: null },
    { id: 2, status: "Planned", resolved_at: null },
    { id: 4, status: "Started", resolved_at: null },
    { id: 11, status: "Done", resolved_at: 270 },
    { id: 12, status: "Declined", resolved_at: 290 },
  ]);
});

test("after an upgrade the id of a row that was deleted before it is not used again", async () => {
  const file = await firstVersion(content);
  change(file, "DELETE FROM contacts; DELETE FROM meetings WHERE id = 6; DELETE FROM requests WHERE id > 2");
  await upgrade(file);
  expect(nextIds(file)).toEqual({ contacts: 9, meetings: 7, requests: 13 });
});

/** The ids that the next rows get. */
function nextIds(file: string): Record<string, number> {
  change(
    file,
    `INSERT INTO contacts (organization_id, account_id, name, folded_name, created_at, updated_at)
       VALUES (1, 5, 'New', 'new', 0, 0);
     INSERT INTO meetings (organization_id, account_id, title, folded_title, start_at, end_at, created_at, updated_at)
       VALUES (1, 5, 'New', 'new', 0, 0, 0, 0);
     INSERT INTO requests
       (organization_id, account_id, title, folded_title, status, severity, requested_at, created_at, updated_at)
       VALUES (1, 5, 'New', 'new', 'Open', 1, 0, 0, 0);`,
  );
  const [ids = {}] = read<Record<string, number>>(
    file,
    "SELECT (SELECT id FROM contacts WHERE name = 'New') AS contacts, (SELECT id FROM meetings WHERE title = 'New') AS meetings, (SELECT id FROM requests WHERE title = 'New') AS requests",
  );
  return ids;
}

test("after the upgrade of a database without sub-resources their ids begin at 1", async () => {
  const file = await firstVersion(content.split("INSERT INTO contacts")[0] ?? "");
  await upgrade(file);
  expect(nextIds(file)).toEqual({ contacts: 1, meetings: 1, requests: 1 });
});
