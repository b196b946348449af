import { expect, test } from "bun:test";
import { invalidBytesFault } from "../../src/shared/imports/encodings.ts";
import { importWorld, nothing } from "./import-world.ts";

test("A line is accepted or rejected by the lines before it, in whatever part they are sent, also by a dry run", async () => {
  const { importBytes, names } = await importWorld();
  const rows = Array.from(
    { length: 2_500 },
    (_, i) => `${i % 1_100},A ${i},${i < 1_200 ? "paused" : "active"}`,
  );
  const csv = `externalId,name,status\n${rows.join("\n")}\n`;
  const dry = await importBytes(csv, { isDryRun: true });
  expect((await names()).size).toBe(0);
  const { counts, reasons } = await importBytes(csv);
  // A dry run has the first reasons only.
  expect([dry.counts, dry.reasons]).toEqual([counts, reasons.slice(0, 20)]);
  // Rows 1,200 to 2,299 have each external id once.
  expect(counts).toEqual({ ...nothing, lines: 2_500, created: 1_100, rejected: 1_400 });
  expect(reasons.map(([line]) => line)).toEqual(
    rows.flatMap((_, i) => (i < 1_200 || i >= 2_300 ? i + 2 : [])),
  );
  expect((await names()).get("100")).toBe("A 1200");
});

test("JSON lines: only an accepted line makes a later one with its external id a second one", async () => {
  const { importBytes } = await importWorld();
  const lines = [
    '{"externalId":"a","name":5}',
    '{"externalId":"a","name":"A"}',
    '{"externalId":"a","name":"B"}',
  ];
  const { reasons } = await importBytes(lines.join("\n"), { name: "a.jsonl" });
  expect(reasons).toEqual([
    [1, "name must be a string"],
    [3, "line 2 has the same externalId"],
  ]);
});

test("Rows of separators only are skipped, and cells that a row does not have are empty", async () => {
  const { importBytes, names } = await importWorld();
  const { counts, reasons } = await importBytes(
    ",,\nexternalId,name,mrr\na1,A,5\n,,\n , ,\nb\na2,B\nc,C,1,2\n",
  );
  expect(counts).toEqual({ ...nothing, lines: 4, created: 2, rejected: 2 });
  expect(reasons).toEqual([
    [6, "name is required"],
    [8, "the line has 4 columns, the header 3"],
  ]);
  expect([...(await names()).keys()]).toEqual(["a1", "a2"]);
});

test("An own export with U+FFFD is imported, in CSV and JSON lines; an invalid byte rejects its line", async () => {
  const { importBytes, call } = await importWorld();
  const name = "Soci\uFFFDt\uFFFD";
  await call("POST", "/api/v1/accounts", { externalId: "a1", name });
  for (const format of ["csv", "jsonl"]) {
    const { text } = await call("GET", `/api/v1/accounts.${format}`);
    const { counts } = await importBytes(text, { name: `file.${format}` });
    expect(counts).toEqual({ ...nothing, lines: 1, unchanged: 1 });
  }
  const utf16 = Buffer.from("\uFEFFexternalId,name\na1,Soci\uFFFDt\uFFFD\n", "utf16le");
  expect((await importBytes(utf16)).counts).toMatchObject({ unchanged: 1 });
  const encoding = "utf-8";
  const latin1 = Buffer.from("externalId,name\na1,Société\na2,Plain\n", "latin1");
  expect((await importBytes(latin1, { encoding })).reasons).toEqual([[2, invalidBytesFault]]);
  const json = Buffer.from('{"externalId":"a1","name":"Société"}\n', "latin1");
  expect((await importBytes(json, { name: "a.jsonl", encoding })).reasons).toEqual([[1, invalidBytesFault]]);
});

test("Rows with more values than one request can have are sent in several, and each has its own result", async () => {
  const { importBytes } = await importWorld();
  const attributes = Object.fromEntries(Array.from({ length: 80 }, (_, i) => [`a${i}`, i]));
  const lines = Array.from({ length: 1_001 }, (_, i) =>
    JSON.stringify({ externalId: `e${i}`, name: "A", attributes: i === 1_000 ? { a: 1 } : attributes }),
  );
  lines.push(JSON.stringify({ externalId: "long", attributes: { a: new Array(70_000).fill(0) } }));
  const { counts, reasons } = await importBytes(lines.join("\n"), { name: "a.jsonl" });
  expect(counts).toEqual({ ...nothing, lines: 1_002, created: 1, rejected: 1_001 });
  expect(reasons.at(0)?.[1]).toContain("attributes");
  expect(reasons.at(-1)).toEqual([1_002, "the row has more than 256 KiB, or 60,000 values"]);
});
