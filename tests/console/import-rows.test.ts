import { expect, test } from "bun:test";
import { readCsvFile, readStart } from "../../src/console/app/pages/import/file.ts";
import { addAttributes, type ColumnMapping } from "../../src/console/app/pages/import/mapping.ts";
import { RejectedRows } from "../../src/console/app/pages/import/rows.ts";
import {
  guessChoices,
  tableOf,
  unknownValues,
  withTargets,
} from "../../src/console/app/pages/import/table.ts";
import { readRowResult } from "../../src/shared/imports/import-lines.ts";
import { readRecord } from "../../src/shared/imports/import-table.ts";

const targets: ColumnMapping[] = [
  { member: "externalId" },
  { member: "mrr" },
  { attribute: "trial", type: "boolean" },
  undefined,
];

const tableWith = (columns: readonly ColumnMapping[], formats = {}) =>
  tableOf(
    { header: columns.map(() => ""), attributeTypes: {}, samples: [] },
    { targets: columns, formats, values: {} },
  );
const readCells = (cells: string[]) => {
  const { line, cells: _, ...read } = readRecord(tableWith(targets), { line: 2, cells });
  return read;
};

test("an empty field is not sent, and texts become the values of their types", () => {
  expect(readCells(["a", "1e3", "TRUE", "ignored"])).toEqual({
    row: { externalId: "a", mrr: 1000, attributes: { trial: true } },
  });
  expect(readCells(["'=a", "", "", ""])).toEqual({ row: { externalId: "=a" } });
  const status = [{ member: "externalId" }, { member: "status" }] as const;
  expect(readRecord(tableWith(status), { line: 2, cells: ["a", "Churned"] })).toMatchObject({
    row: { status: "churned" },
  });
});

test("rows that cannot be sent are rejected with a reason", () => {
  // A field that cannot be read has a value that the server rejects, so that it reports the other faults too.
  expect(readCells(["a", "1e999", "", ""])).toEqual({
    row: { externalId: "a", mrr: [] },
    faults: { mrr: "mrr must be a number" },
  });
  for (const text of ["ja", "constructor"])
    expect(readCells(["a", "", text, ""])).toEqual({
      row: { externalId: "a", attributes: { trial: [] } },
      faults: { "attributes.trial": "attributes.trial must be true or false, yes or no, 1 or 0" },
    });
  expect(readCells(["a\0", "", "", ""])).toEqual({ fault: "the line has a NUL character" });
  expect(readRecord(tableWith(targets), { line: 2, cells: ["a"], fault: "a quote is not closed" })).toEqual({
    ...{ line: 2, cells: ["a"], fault: "a quote is not closed" },
  });
});

/** The type that is proposed for a column of these texts. */
async function typeOf(column: string, texts: readonly string[]) {
  const file = new Blob([[`${column},b`, ...texts.map((text) => `${text},x`)].join("\n")]);
  const { header, rows, scan } = await readStart(file, 20);
  const samples = rows.map(({ cells }) => cells);
  const choices = guessChoices(header.names, {}, samples);
  const targets = addAttributes(header.names, {}, choices.targets);
  const input = { header: header.names, attributeTypes: {}, samples, scan };
  return tableOf(input, { ...choices, targets }).columns[0]?.type;
}

test("a column is proposed as a number only if every value of the whole file is one", async () => {
  const numbers = Array.from({ length: 10_000 }, (_, i) => `${90_001 + i}`);
  for (const column of ["a", "attributes.a"]) {
    expect(await typeOf(column, [...numbers, "2.5", "-3", ""])).toBe("number");
    for (const text of [
      "02139",
      "+14155550123",
      "415 555 012",
      "1e3",
      "12345678901234567890",
      "90071992547409931",
      "1234567890123456",
      "x",
    ])
      expect([text, await typeOf(column, [...numbers, text])]).toEqual([text, "string"]);
    expect(await typeOf(column, ["'-5"])).toBe("string");
    expect(await typeOf(column, ["true", "false"])).toBe("boolean");
    expect(await typeOf(column, ["true", "1"])).toBe("string");
    expect(await typeOf(column, ["", ""])).toBe("string");
  }
});

test("a column of an export is proposed as a number only if an export writes the number so", async () => {
  for (const [texts, own, exported] of [
    [["1.50"], "number", "string"],
    [["$900", "$12"], "number", "string"],
    [["TRUE"], "boolean", "string"],
    [["0.30000000000000004"], "string", "number"],
  ] as const)
    expect([texts, await typeOf("a", texts), await typeOf("attributes.a", texts)]).toEqual([
      texts,
      own,
      exported,
    ]);
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

test("the file of rejected rows has the columns, the line and the reason", async () => {
  const rejected = new RejectedRows({ names: ["id", "name"], separator: "," });
  rejected.add({ line: 2, cells: ["=1", "a", "b"], fault: "" }, "too many");
  expect(await rejected.toFile().text()).toBe(`id,name,line,reason\n'=1,a,b,2,too many\n`);
});

test("signs are of a number if every value has the same one; numbers in parentheses and after a word are texts", async () => {
  for (const texts of [
    ["$900", "-$5", "$ 12"],
    ["900 €", "€ 5"],
    ["12 %", "5%"],
  ])
    expect([texts, await typeOf("a", texts)]).toEqual([texts, "number"]);
  for (const texts of [
    ["$900", "€5"],
    ["$900", "5"],
    ["5", "12%"],
    ["(212)", "(5)"],
    ["TOP 5", "TOP 10"],
    ["5 EUR"],
  ])
    expect([texts, await typeOf("a", texts)]).toEqual([texts, "string"]);
});

test("the values of a fixed list are replaced, also escaped ones, and only while the column is of the list", async () => {
  const file = new Blob(["id,Status\na,'-none-\nb,active\n"]);
  const { header, rows, scan } = await readStart(file, 20);
  const samples = rows.map(({ cells }) => cells);
  const guessed = guessChoices(header.names, {}, samples);
  expect(unknownValues(guessed, scan, samples)).toMatchObject([{ index: 1, values: ["-none-"] }]);
  const choices = { ...guessed, values: { 1: new Map([["-none-", "churned"]]) } };
  const input = { header: header.names, attributeTypes: {}, samples, scan };
  const [record] = rows;
  if (!record) throw new Error("the file has a row");
  expect(readRecord(tableOf(input, choices), record)).toMatchObject({ row: { status: "churned" } });
  const [id] = choices.targets;
  const renamed = tableOf(input, withTargets(choices, [id, { member: "name" }]));
  expect(readRecord(renamed, record)).toMatchObject({ row: { name: "-none-" } });
  expect(withTargets(choices, [undefined, choices.targets[1]]).values).toEqual(choices.values);
});
