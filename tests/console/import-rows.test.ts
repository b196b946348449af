import { expect, test } from "bun:test";
import fc from "fast-check";
import { accountStatuses } from "../../db/schema.ts";
import { readCells as readCellsOfCommandLine } from "../../src/cli/import-values.ts";
import { readCsvFile, readStart } from "../../src/console/app/pages/import/file.ts";
import type { ColumnMapping } from "../../src/console/app/pages/import/mapping.ts";
import { RejectedRows } from "../../src/console/app/pages/import/rejected.ts";
import { RowReader, readCells, reasonOf } from "../../src/console/app/pages/import/rows.ts";

const targets: ColumnMapping[] = [
  { member: "externalId" },
  { member: "mrr" },
  { attribute: "trial", type: "boolean" },
  undefined,
];

test("an empty field is not sent, and texts become the values of their types", () => {
  expect(readCells(targets, ["a", "1e3", "TRUE", "ignored"])).toEqual({
    account: { externalId: "a", mrr: 1000, attributes: { trial: true } },
  });
  expect(readCells(targets, ["'=a", "", "", ""])).toEqual({ account: { externalId: "=a" } });
});

test("the values are those of the command line", () => {
  const text = fc.constantFrom(
    "",
    "1",
    "-1.5",
    ".5",
    "1e3",
    "x",
    "true",
    "False",
    "constructor",
    "'=1",
    "'x",
    "+2",
    "1,5",
    "Churned",
  );
  const columns = [
    { member: "externalId", type: "string", index: 0 },
    { member: "mrr", type: "number", index: 1 },
    { member: "attributes.trial", type: "boolean", index: 2 },
    { member: "attributes.owner", type: "string", index: 3 },
    { member: "status", type: "string", index: 4, choices: accountStatuses },
  ] as const;
  const ofConsole: ColumnMapping[] = [
    ...targets.slice(0, 3),
    { attribute: "owner", type: "string" },
    { member: "status" },
  ];
  const status = fc.constantFrom("", "active", "Churned", "ONBOARDING", "gone");
  const property = fc.property(fc.tuple(text, text, text, status), (cells) => {
    const expected = readCellsOfCommandLine(columns, ["id", ...cells]);
    const read: unknown = readCells(ofConsole, ["id", ...cells]);
    expect(read).toEqual("row" in expected ? { account: expected.row } : expected);
  });
  fc.assert(property);
});

test("rows that cannot be sent are rejected with a reason", () => {
  expect(readCells(targets, ["a"])).toEqual({ fault: "the line has 1 columns, the header 4" });
  expect(readCells(targets, ["a", "", "", "", ""])).toEqual({ account: { externalId: "a" } });
  expect(readCells(targets, ["", "1", "", ""])).toEqual({ fault: "the line has no externalId" });
  expect(readCells(targets, ["a", "1e999", "", ""])).toEqual({ fault: "mrr must be a number" });
  for (const text of ["yes", "constructor"])
    expect(readCells(targets, ["a", "", text, ""])).toEqual({
      fault: "attributes.trial must be true or false",
    });
  expect(readCells(targets, ["\uFFFD", "", "", ""])).toMatchObject({
    fault: expect.stringContaining("not UTF-8"),
  });
  expect(readCells(targets, ["a\0", "", "", ""])).toEqual({ fault: "the line has a NUL character" });
});

test("a second row with an external id is rejected unless the first one was", () => {
  const reader = new RowReader(targets);
  const record = (line: number) => ({ line, cells: ["a", "", "", ""] });
  expect(reader.read(record(2))).toMatchObject({ account: { externalId: "a" } });
  expect(reader.read(record(3))).toMatchObject({ fault: "line 2 has the same externalId" });
  reader.release({ externalId: "a" });
  expect(reader.read(record(4))).toMatchObject({ account: { externalId: "a" } });
});

test("the reason of a rejected account names its members, with the names of types on the screen", () => {
  const errors = [
    { pointer: "/accounts/3/mrr", detail: "must be a number" },
    { pointer: "/accounts/3/attributes/plan", detail: "must be a string" },
  ];
  expect(reasonOf({ detail: "Correct the members.", errors })).toBe(
    "mrr must be a number; attributes.plan must be a text",
  );
  expect(reasonOf({ detail: "Send a name." })).toBe("Send a name.");
});

test("files in UTF-8 and UTF-16 are read, with a byte-order mark or without", async () => {
  const text = 'externalId\tname\r\nü\t"Zoë\nB"\r\n';
  const utf16 = new Uint8Array(
    new Uint16Array([...`\uFEFF${text}`].map((char) => char.charCodeAt(0))).buffer,
  );
  for (const content of [text, `\uFEFF${text}`, utf16])
    expect(await readStart(new Blob([content]), 5)).toEqual({
      header: ["externalId", "name"],
      rows: [{ line: 2, cells: ["ü", "Zoë\nB"] }],
    });
});

test.each([
  ["sep=;\n", ";"],
  ["SEP=|\r\n", "|"],
  ['"sep=\t"\r', "\t"],
  ["sep=^\n", "^"],
  ["sep=]\n", "]"],
  ["sep=n\n", "n"],
])("a first line %j sets the separator, and counts as a line", async (first, separator) => {
  const text = `${first}id${separator}MRR\n1${separator} "a" \n`;
  expect(await readStart(new Blob([text]), 5)).toEqual({
    header: ["id", "MRR"],
    rows: [{ line: 3, cells: ["1", "a"] }],
  });
});

test("a file of several slices has all records, and a character on the border is whole", async () => {
  const rows = Array.from({ length: 60_000 }, (_, i) => `é${i},ü`);
  const records = [];
  let readBytes = 0;
  const file = new Blob([["a,b", ...rows].join("\n")]);
  for await (const part of readCsvFile(file)) {
    records.push(...part.records);
    readBytes = part.readBytes;
  }
  expect(readBytes).toBe(file.size);
  expect(records).toHaveLength(60_001);
  expect(records.every((record) => "cells" in record && !record.cells.join("").includes("\uFFFD"))).toBe(
    true,
  );
});

test("an empty file has no header", () => {
  expect(readStart(new Blob([""]), 5)).rejects.toThrow("no header");
});

test("the file of rejected rows has the columns, the line and the reason", async () => {
  const rejected = new RejectedRows(["id", "name"]);
  rejected.add({ line: 2, cells: ["=1", "a", "b"], fault: "" }, "too many");
  expect(await rejected.toFile().text()).toBe(`id,name,line,reason\n'=1,"a,b",2,too many\n`);
});

test.each([
  ["a spreadsheet", "PK\u0003\u0004xl/workbook.xml", "Save it as CSV UTF-8"],
  ["JSON", '[{"externalId": "a"}]', "is JSON"],
  ["JSON lines", '{"externalId": "a"}\n', "is JSON"],
])("%s is no CSV file, and the message says what to do", async (_, text, message) => {
  await expect(readStart(new Blob([text]), 20)).rejects.toThrow(message);
});

test("a file in gzip is no CSV file", async () => {
  await expect(readStart(new Blob([Bun.gzipSync("externalId\na\n")]), 20)).rejects.toThrow("gzip");
});
