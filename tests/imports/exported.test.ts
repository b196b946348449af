import { expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { escapeFormula, unescapeFormula } from "../../src/shared/cells.ts";
import { type FileRows, fileRows } from "../../src/shared/resources.ts";
import { importWorld } from "./import-world.ts";

const numbers = ["-5", "+3.5", "+49 30 123-456", "+1 (415) 555-0123", "+493012345", "+44.20/7946 0958"];
const formulas = [
  ..."=1+1 +1+A1 -1+1 @SUM(A1) -5e3 +A1 + - = @ -.5 +1( '=1 '+49301234 '-5 ''@x".split(" "),
  ...[
    "\tx",
    "\rx",
    "-5 apples",
    "+49 30 123x",
    "+49 30 12345 ",
    "+1 2 3",
    "+1\n23456",
    "+1234567890123456-7",
  ],
];

test("An export escapes formulas and texts that look escaped, but neither numbers nor telephone numbers", () => {
  expect(numbers.map(escapeFormula)).toEqual(numbers);
  expect(formulas.map(escapeFormula)).toEqual(formulas.map((text) => `'${text}`));
  for (const text of ["plain", "5", "'quoted", "a=b", "(415) 555", "00493012345"])
    expect(escapeFormula(text)).toBe(text);
  // An earlier version escaped these, too.
  expect(numbers.map((text) => unescapeFormula(`'${text}`))).toEqual(numbers);
});

const parts = [
  '"',
  "'",
  "=",
  "+",
  "-",
  "@",
  " ",
  "\t",
  "\n",
  "\r",
  "\u00a0",
  ",",
  ";",
  "|",
  "(",
  ")",
  "1",
  "23",
  "a",
  "é",
];
const texts = fc
  .oneof(
    fc.string({ unit: fc.constantFrom(...parts), minLength: 1, maxLength: 8 }),
    fc.constantFrom(...numbers, ...formulas),
  )
  .filter((text) => text.trim() !== "");

/** Rows of every resource, as JSON lines. */
function rowsOf(values: readonly string[], now: number): Record<FileRows, object[]> {
  const at = (days: number) => new Date(now - days * 86_400_000).toISOString();
  // A unique id that begins like the text.
  const keyed = values.map((text, i) => ({ text, externalId: `${text}${10 + i}` }));
  const owned = keyed.map((row) => ({ ...row, accountExternalId: row.externalId }));
  return {
    accounts: keyed.map(({ text, externalId }, i) => ({
      ...{ externalId, name: text, mrr: i % 2 === 0 ? -i : 1.5, attributes: { note: text } },
    })),
    contacts: owned.map(({ text, ...ids }) => ({
      ...ids,
      name: text,
      userId: ids.externalId,
      attributes: { note: text },
    })),
    meetings: owned.map(({ text, ...ids }) => ({ ...ids, title: text, startAt: at(2), endAt: at(1) })),
    requests: owned.map(({ text, ...ids }) => ({ ...ids, title: text, severity: 2, requestedAt: at(3) })),
    "usage-days": keyed.map(({ text, externalId }, i) => ({
      ...{ externalId, event: text, day: at(3).slice(0, 10), count: i + 1, users: i % 2 },
    })),
  };
}

/** What the service assigns. */
const assigned = ["id", "accountId", "createdAt", "updatedAt", "lastSeenAt"];

function withoutAssigned(text: string, format: string): object[] {
  const rows: Record<string, unknown>[] =
    format === "csv"
      ? parse(text, { columns: true, record_delimiter: "\n" })
      : text
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line));
  return rows.map((row) => ({ ...row, ...Object.fromEntries(assigned.map((name) => [name, undefined])) }));
}

test.each(["csv", "jsonl"])(
  "An export as %s is imported into its organization and exported again byte for byte, and into an empty one equal except for what the service assigns",
  async (format) => {
    const property = fc.asyncProperty(fc.array(texts, { minLength: 30, maxLength: 30 }), async (values) => {
      const here = await importWorld();
      const { first, second, importBytes, exportText } = here;
      const rows = rowsOf(values, here.now());
      for (const resource of fileRows) {
        const lines = rows[resource].map((row) => JSON.stringify(row)).join("\n");
        const filled = await importBytes(lines, { resource, name: "file.jsonl", organizationId: second.id });
        expect([resource, filled.counts.created, filled.rejectedText]).toEqual([resource, values.length, ""]);
      }
      for (const resource of fileRows) {
        const exported = await exportText(second.id, resource, format);
        const settings = { resource, name: `file.${format}` };
        const again = await importBytes(exported, { ...settings, organizationId: second.id });
        expect([resource, again.counts.unchanged]).toEqual([resource, values.length]);
        expect(await exportText(second.id, resource, format)).toBe(exported);
        const copied = await importBytes(exported, settings);
        expect([resource, copied.counts.created]).toEqual([resource, values.length]);
        const copy = await exportText(first.id, resource, format);
        expect(withoutAssigned(copy, format)).toEqual(withoutAssigned(exported, format));
      }
    });
    await fc.assert(property, { numRuns: 10 });
  },
);

test("An export into an empty organization has the same numbers, whatever its attributes look like", async () => {
  const { first, second, importBytes, exportText, call } = await importWorld();
  for (const [name, text, ratio] of [
    ["a", "1,5", 12.125],
    ["b", "2,5", 1.125],
  ] as const) {
    const attributes = { size: text, version: "-5", ratio };
    await importBytes(JSON.stringify({ externalId: name, name, mrr: 12.345, attributes }), {
      ...{ name: "a.jsonl", organizationId: second.id },
    });
  }
  const exported = await exportText(second.id, "accounts", "csv");
  expect((await importBytes(exported)).counts.created).toBe(2);
  const { data } = (await call("GET", "/api/v1/accounts?include=attributes&sortBy=name&sortOrder=asc")).body;
  expect(data.map(({ mrr, attributes }: Record<string, unknown>) => [mrr, attributes])).toEqual([
    [12.345, { size: "1,5", version: -5, ratio: 12.125 }],
    [12.345, { size: "2,5", version: -5, ratio: 1.125 }],
  ]);
  const copy = await exportText(first.id, "accounts", "csv");
  expect(withoutAssigned(copy, "csv")).toEqual(withoutAssigned(exported, "csv"));
});

test("Columns that an export has and an import does not read are no attributes with these names", async () => {
  const { first, second, importBytes, exportText } = await importWorld();
  const attributes = { id: "hs-777", CREATEDAT: "2019-01-01", updatedAt: "x", lastSeenAt: "y" };
  const rows = {
    accounts: { externalId: "a", name: "A", attributes },
    contacts: { externalId: "c", name: "C", accountExternalId: "a", attributes },
  };
  for (const resource of ["accounts", "contacts"] as const) {
    const line = JSON.stringify(rows[resource]);
    for (const organizationId of [first.id, second.id])
      await importBytes(line, { resource, name: "file.jsonl", organizationId });
    const exported = await exportText(first.id, resource, "csv");
    const columns = { accounts: "externalId,name", contacts: "externalId,accountExternalId,name" }[resource];
    expect((await importBytes(exported, { resource })).counts.unchanged).toBe(1);
    expect(await exportText(first.id, resource, "csv")).toBe(exported);
    const own = `id,${columns},createdAt,updatedAt\n1,${resource === "accounts" ? "a,A" : "c,a,C"},2026,2026\n`;
    const settings = { resource, organizationId: second.id };
    expect((await importBytes(own, settings)).counts.unchanged).toBe(1);
    const mapped = await importBytes(own, { ...settings, map: "updatedAt=attributes.updatedAt" });
    expect(mapped.counts.updated).toBe(1);
  }
});

test("The accountId of an export is no account of another database, unless --map says so", async () => {
  const { first, account, importBytes, exportText } = await importWorld();
  const { id: accountId } = await account({ name: "A" });
  const { id: strangerId } = await account({ name: "B" });
  for (const [resource, row] of [
    ["contacts", { name: "Ada" }],
    ["requests", { title: "Export" }],
  ] as const) {
    const stored = JSON.stringify({ ...row, accountId, externalId: "x" });
    await importBytes(stored, { resource, name: "file.jsonl", map: "accountId=accountId" });
    for (const format of ["csv", "jsonl"]) {
      const exported = await exportText(first.id, resource, format);
      const settings = { resource, name: `file.${format}` };
      expect((await importBytes(exported, settings)).counts.unchanged).toBe(1);
      expect(await exportText(first.id, resource, format)).toBe(exported);
      // An export of another database, in which the id is the one of another account.
      const other = exported.replace(/(x,|"accountId":)\d+/, `$1${strangerId}`);
      const strange = await importBytes(other, settings);
      expect(strange.reasons).toEqual([
        [format === "csv" ? 2 : 1, expect.stringContaining("accountId=accountId")],
      ]);
      const fresh = await importBytes(exported.replace(/\bx\b/, "y"), settings);
      expect(fresh.reasons).toEqual(strange.reasons);
      const keyed = await importBytes(exported, { ...settings, map: "id=externalId" });
      if (format === "csv") expect(keyed.reasons).toEqual(strange.reasons);
      const chosen = await importBytes(other, { ...settings, map: "accountId=accountId" });
      expect(chosen.counts.updated).toBe(1);
      const back = await importBytes(exported, { ...settings, map: "accountId=accountId" });
      expect(back.counts.updated).toBe(1);
    }
  }
});

test("bom=true begins CSV with a byte-order mark, and formulas=keep writes texts as they are", async () => {
  const { first, importBytes, exportText, call } = await importWorld();
  const rows = rowsOf(["=1+1", "'=1"], Date.now());
  for (const resource of ["accounts", "contacts"] as const) {
    const lines = rows[resource].map((row) => JSON.stringify(row)).join("\n");
    await importBytes(lines, { resource, name: "file.jsonl" });
    const cells = (text: string) =>
      parse(text, { columns: true, bom: true }).map((row) => (row as { name: string }).name);
    const marked = await exportText(first.id, resource, "csv", "bom=true");
    expect(marked).toBe(`\uFEFF${await exportText(first.id, resource, "csv", "bom=false&formulas=escape")}`);
    expect(cells(marked)).toEqual(["'=1+1", "''=1"]);
    expect(cells(await exportText(first.id, resource, "csv", "formulas=keep"))).toEqual(["=1+1", "'=1"]);
    // One apostrophe is removed by an import, so that only escaped texts come back as they were.
    const kept = await importBytes(await exportText(first.id, resource, "csv", "formulas=keep"), {
      resource,
    });
    expect(kept.counts).toMatchObject({ unchanged: 1, rejected: 0 });
    expect((await importBytes(marked, { resource })).counts.rejected).toBe(0);
  }
  for (const query of ["bom=1", "formulas=none"])
    expect((await call("GET", `/api/v1/accounts.csv?${query}`)).status).toBe(400);
  expect((await call("GET", "/api/v1/accounts.jsonl?bom=true")).body.code).toBe("unknown_parameter");
});
