import { expect, test } from "bun:test";
import { readCsvFile, readStart } from "../../src/console/app/pages/import/file.ts";
import { type ColumnMapping, guessTargets } from "../../src/console/app/pages/import/mapping.ts";
import { RejectedRows, readRow } from "../../src/console/app/pages/import/rows.ts";
import { readRowResult } from "../../src/shared/import-lines.ts";

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

test("rows that cannot be sent are rejected with a reason", () => {
  expect(readCells(["a", "1e999", "", ""])).toEqual({ fault: "mrr must be a number" });
  for (const text of ["yes", "constructor"])
    expect(readCells(["a", "", text, ""])).toEqual({ fault: "attributes.trial must be true or false" });
  expect(readCells(["a\0", "", "", ""])).toEqual({ fault: "the line has a NUL character" });
  expect(readRow(targets, { line: 2, cells: ["a"], fault: "a quote is not closed" })).toEqual({
    ...{ line: 2, cells: ["a"], fault: "a quote is not closed" },
  });
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
  expect(await rejected.toFile().text()).toBe(`id,name,line,reason\n'=1,"a,b",2,too many\n`);
});
