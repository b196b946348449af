import { expect, test } from "bun:test";
import { readCsvFile, readStart } from "../../src/console/app/pages/import/file.ts";
import { type ColumnMapping, guessTargets } from "../../src/console/app/pages/import/mapping.ts";
import { RejectedRows } from "../../src/console/app/pages/import/rejected.ts";
import { readRow } from "../../src/console/app/pages/import/rows.ts";
import type { CsvRecord } from "../../src/shared/csv.ts";
import { readRowResult } from "../../src/shared/unique-rows.ts";

const targets: ColumnMapping[] = [
  { member: "externalId" },
  { member: "mrr" },
  { attribute: "trial", type: "boolean" },
  undefined,
];

const readCells = (cells: string[]) => {
  const { line, cells: _, ...read } = readRow(targets, { line: 2, cells });
  return read;
};

test("an empty field is not sent, and texts become the values of their types", () => {
  expect(readCells(["a", "1e3", "TRUE", "ignored"])).toEqual({
    row: { externalId: "a", mrr: 1000, attributes: { trial: true } },
  });
  expect(readCells(["'=a", "", "", ""])).toEqual({ row: { externalId: "=a" } });
  const status = [{ member: "externalId" }, { member: "status" }] as const;
  expect(readRow(status, { line: 2, cells: ["a", "Churned"] })).toMatchObject({ row: { status: "churned" } });
});

test("cells that a row does not have are empty, and cells without a name need to be", () => {
  expect(readCells(["a"])).toEqual({ row: { externalId: "a" } });
  expect(readCells(["a", "", "", "", ""])).toEqual({ row: { externalId: "a" } });
  expect(readCells(["a", "", "", "", "x"])).toEqual({ fault: "the line has 5 columns, the header 4" });
});

test("rows that cannot be sent are rejected with a reason", () => {
  expect(readCells(["", "1", "", ""])).toEqual({ fault: "the line has no externalId" });
  expect(readCells(["a", "1e999", "", ""])).toEqual({ fault: "mrr must be a number" });
  for (const text of ["yes", "constructor"])
    expect(readCells(["a", "", text, ""])).toEqual({ fault: "attributes.trial must be true or false" });
  expect(readCells(["a\0", "", "", ""])).toEqual({ fault: "the line has a NUL character" });
  expect(readRow(targets, { line: 2, cells: ["a"], fault: "a quote is not closed" })).toEqual({
    ...{ line: 2, cells: ["a"], fault: "a quote is not closed" },
  });
});

test("a number of an attribute is the same text again, so that ids, postal codes and phone numbers stay", () => {
  const columns = [{ member: "externalId" }, { attribute: "code", type: "number" }] as const;
  for (const text of ["02139", "+14155550123", "1e3", "12345678901234567890", "888E010010"])
    expect(readRow(columns, { line: 2, cells: ["a", text] })).toMatchObject({
      fault: expect.stringContaining("attributes.code must be a number"),
    });
  expect(readRow(columns, { line: 2, cells: ["a", "-2.50"] })).toMatchObject({
    row: { attributes: { code: -2.5 } },
  });
});

async function recordsOf(content: string | Uint8Array<ArrayBuffer>): Promise<CsvRecord[]> {
  const records = [];
  for await (const part of readCsvFile(new Blob([content]))) records.push(...part.records);
  return records;
}

test("an invalid byte rejects its row, and U+FFFD is a character", async () => {
  const columns = [{ member: "externalId" }, { member: "name" }] as const;
  const read = async (encoding: BufferEncoding, text: string) =>
    (await recordsOf(new Uint8Array(Buffer.from(`externalId,name\n${text}\n`, encoding)))).map((record) =>
      readRow(columns, record),
    );
  expect(await read("utf8", "a,Soci\uFFFDt\uFFFD")).toMatchObject([{ row: { name: "Soci\uFFFDt\uFFFD" } }]);
  expect(await read("latin1", "a,Soci\u00e9t\u00e9\nb,Plain")).toMatchObject([
    { line: 2, fault: "the line has bytes that are not UTF-8: convert the file" },
    { line: 3, row: { name: "Plain" } },
  ]);
});

test("quotes that do not balance reject their rows, and the others are read", async () => {
  const rows = Array.from({ length: 20 }, (_, i) => `c${i},Company ${i},n`);
  rows[4] = 'c4,Company 4,"24 inch';
  rows[11] = 'c11,Company 11,"19 inch';
  const records = await recordsOf(`externalId,name,note\n${rows.join("\n")}\n`);
  expect(records.filter(({ fault }) => fault !== undefined).map(({ line }) => line)).toEqual([6, 13]);
  expect(records).toHaveLength(20);
});

test("rows of separators only are skipped, and the numbers of lines are those of the file", async () => {
  const records = await recordsOf('id,address\r\na,"1 Main St\r\nSuite 2"\r\n,\r\nb,x\r\n');
  expect(records.map(({ line }) => line)).toEqual([2, 5]);
});

async function proposalOf(texts: readonly string[]) {
  const { header, types } = await readStart(
    new Blob([["attributes.a,b", ...texts.map((text) => `${text},x`)].join("\n")]),
    20,
  );
  return guessTargets(header.names, types, {})[0];
}

test("a column is proposed as a number only if every value of the whole file is one", async () => {
  const numbers = Array.from({ length: 10_000 }, (_, i) => `${90_001 + i}`);
  expect(await proposalOf([...numbers, "2.50", "-3", ""])).toEqual({ attribute: "a", type: "number" });
  for (const text of [
    "02139",
    "+14155550123",
    "1e3",
    "12345678901234567890",
    "90071992547409931",
    "1234567890123456",
    "x",
  ])
    expect(await proposalOf([...numbers, text])).toEqual({ attribute: "a", type: "string" });
  expect(await proposalOf(["'-5"])).toEqual({ attribute: "a", type: "string" });
  expect(await proposalOf(["true", "FALSE"])).toEqual({ attribute: "a", type: "boolean" });
  expect(await proposalOf(["true", "1"])).toEqual({ attribute: "a", type: "string" });
  expect(await proposalOf(["", ""])).toEqual({ attribute: "a", type: "string" });
});

test("the reason of a rejected row names its members", () => {
  const errors = [
    { pointer: "/accounts/3/mrr", detail: "must be a number" },
    { pointer: "/accounts/3/attributes/plan", detail: "must be a string" },
  ];
  const reasonOf = (problem: object) => readRowResult({ result: "failed", problem: { ...problem } });
  expect(reasonOf({ detail: "Correct the members.", errors })).toEqual({
    result: "rejected",
    reason: "mrr must be a number; attributes.plan must be a string",
  });
  expect(reasonOf({ detail: "Send a name." })).toEqual({ result: "rejected", reason: "Send a name." });
});

test("files in UTF-8 and UTF-16 are read, with a byte-order mark or without", async () => {
  const text = 'externalId\tname\r\nü\t"Zoë\nB"\r\n';
  const utf16 = new Uint8Array(
    new Uint16Array([...`\uFEFF${text}`].map((char) => char.charCodeAt(0))).buffer,
  );
  for (const content of [text, `\uFEFF${text}`, utf16])
    expect(await readStart(new Blob([content]), 5)).toMatchObject({
      header: { names: ["externalId", "name"], separator: "\t" },
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
  expect(await readStart(new Blob([text]), 5)).toMatchObject({
    header: { names: ["id", "MRR"], separator },
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
  expect(records).toHaveLength(60_000);
  expect(records.every(({ cells }) => /^é\d+ü$/.test(cells.join("")))).toBe(true);
});

test("an empty file has no header", () => {
  expect(readStart(new Blob([""]), 5)).rejects.toThrow("no header");
});

test("the file of rejected rows has the columns, the line and the reason", async () => {
  const rejected = new RejectedRows({ names: ["id", "name"], separator: "," });
  rejected.add({ line: 2, cells: ["=1", "a", "b"], fault: "" }, "too many");
  expect(await rejected.toFile().text()).toBe(`id,name,line,reason\n'=1,"a,b",2,too many\n`);
});

test("the file of rejected rows has the separator of the file, its bytes and names that it does not have", async () => {
  const rejected = new RejectedRows({ names: ["id", "Reason", "line"], separator: ";" });
  rejected.add({ line: 2, cells: ["1", "Soci\udce9t\udce9", "a,b"], fault: "" }, "x; y");
  const bytes = await rejected.toFile().bytes();
  expect(Buffer.from(bytes).toString("latin1")).toBe(
    '\u00ef\u00bb\u00bfid;Reason;line;line 2;reason 2\n1;Soci\u00e9t\u00e9;"a,b";2;"x; y"\n',
  );
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
