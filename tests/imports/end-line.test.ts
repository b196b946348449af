import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { openImport } from "../../src/cli/import/source.ts";
import { temporaryFile } from "../support/world.ts";
import { importWorld, nothing } from "./import-world.ts";

const row = (id: number) => `{"externalId":"${id}","name":"Account ${id}"}\n`;
const end = (rows: number) => `{"end":true,"rows":${rows}}\n`;
const jsonl = { name: "file.jsonl" } as const;

test("The last line of an export is no row, and one without it is imported, too", async () => {
  const { importBytes, names } = await importWorld();
  for (const text of [`${row(1)}${row(2)}${end(2)}`, `${row(3)}${row(4)}`, `${row(5)}${row(6)}${end(2)}`])
    expect((await importBytes(text, jsonl)).counts).toEqual({ ...nothing, lines: 2, created: 2 });
  expect((await importBytes(end(0), jsonl)).counts).toEqual(nothing);
  expect((await importBytes(`${row(7)}${end(1)}${row(8)}${end(1)}`, jsonl)).counts.created).toBe(2);
  expect((await names()).size).toBe(8);
});

test("An export with fewer or more rows than its last line says stops the import at that line", async () => {
  const { importBytes } = await importWorld();
  for (const text of [`${row(1)}${end(2)}`, `${row(1)}${row(2)}${end(1)}`, end(1)])
    await expect(importBytes(text, jsonl)).rejects.toThrow(
      /^Line \d ends an export of \d rows, but \d are before it\.$/,
    );
});

test("A line with other members than those of the last line is a row", async () => {
  const { importBytes } = await importWorld();
  const lines = [
    '{"end":true,"rows":1,"externalId":"1","name":"A"}',
    '{"end":"true","rows":1}',
    '{"end":true}',
  ];
  expect((await importBytes(lines.join("\n"), jsonl)).counts).toEqual({
    ...nothing,
    lines: 3,
    created: 1,
    rejected: 2,
  });
});

test("With demandsEndLine, only JSON lines that end in the last line of an export are imported", async () => {
  const open = (name: string, text: string) => {
    const path = temporaryFile(name);
    writeFileSync(path, text);
    const map = { resource: "accounts" as const, entries: [], attributeTypes: {} };
    return openImport(path, map, { demandsEndLine: true });
  };
  for (const text of [`${row(1)}${end(1)}`, `${row(1)}${end(1)}\n\n`, end(1).trimEnd()])
    expect((await open("whole.jsonl", text)).header.names).toEqual(["content"]);
  for (const [name, text] of [
    ["cut.jsonl", ""],
    ["cut.jsonl", row(1)],
    ["cut.jsonl", `${row(1)}${end(1).slice(0, 12)}`],
    ["cut.jsonl", `${end(0)}${row(1)}`],
    ["cut.jsonl", `${row(1)}{"externalId":"${"x".repeat(200)}`],
    ["rows.csv", "externalId,name\n"],
  ] as const)
    await expect(open(name, text)).rejects.toThrow(`${name} does not end in {"end":true,"rows":N}`);
});
