import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { invalidBytesFault } from "../../src/shared/imports/encodings.ts";
import { importWorld, nothing } from "./import-world.ts";

const root = join(import.meta.dir, "../..");
const bytesOf = (name: string) => readFileSync(join(root, "tests/imports/public", name));

/** The rows of a file with another parser's settings: no option of the import but the separator. */
function rowsOf(bytes: Uint8Array, delimiter = ","): Record<string, string>[] {
  return parse(Buffer.from(bytes), { columns: true, delimiter, bom: true });
}

/** The same cells, separated by tabs. */
function withTabs(bytes: Uint8Array): Buffer {
  const lines: string[][] = parse(Buffer.from(bytes));
  return Buffer.from(lines.map((cells) => cells.join("\t")).join("\n"));
}

/** Files whose every line can be imported. */
const whole = [
  { name: "countries.csv", id: "countryCode", title: "countryNameLocal" },
  { name: "countries.csv", id: "countryCode", title: "flag" },
  { name: "gapminder-health-income.csv", id: "country", title: "region" },
  { name: "gapminder-health-income.csv", id: "country", title: "population", delimiter: "\t" },
];

test.each(whole)(
  "$name is imported as it is with $title as the name, and unchanged again, also with tabs: %#",
  async (file) => {
    const { name, id, title, delimiter = "," } = file;
    const { importBytes, names } = await importWorld();
    const bytes = delimiter === "\t" ? withTabs(bytesOf(name)) : bytesOf(name);
    const rows = rowsOf(bytes, delimiter);
    const map = `${id}=externalId,${title}=name`;
    const first = await importBytes(bytes, { map });
    expect(first.counts).toEqual({ ...nothing, lines: rows.length, created: rows.length });
    expect(await names()).toEqual(new Map(rows.map((row) => [row[id] ?? "", row[title] ?? ""])));
    const again = await importBytes(bytes, { map });
    expect(again.counts).toEqual({ ...nothing, lines: rows.length, unchanged: rows.length });
    expect(first.ignored).toEqual(
      Object.keys(rows[0] ?? {}).filter((column) => column !== id && column !== title),
    );
  },
);

test("A byte-order mark, CRLF, and UTF-16 do not change what is imported", async () => {
  const text = bytesOf("countries.csv").toString();
  const map = "countryCode=externalId,countryNameLocal=name";
  const variants = [
    `\uFEFF${text}`,
    text.replaceAll("\n", "\r\n"),
    text.replaceAll("\n", "\r"),
    Buffer.from(`\uFEFF${text}`, "utf16le"),
    Buffer.from(`\uFEFF${text}`, "utf16le").swap16(),
  ];
  const { importBytes } = await importWorld();
  const { counts } = await importBytes(text, { map });
  expect(counts.created).toBe(250);
  for (const variant of variants)
    expect((await importBytes(variant, { map })).counts).toEqual({ ...nothing, lines: 250, unchanged: 250 });
});

test("Columns are imported as attributes, with their types; a text that is no number rejects its line", async () => {
  const { importBytes, call } = await importWorld();
  const bytes = readFileSync(join(root, "src/quickstart/sp500.csv"));
  const map =
    "Symbol=externalId,Security=name,GICS Sector=attributes.sector,Founded=attributes.founded:number,CIK=attributes.cik:string";
  const isNumber = ({ Founded = "" }: Record<string, string>) => /^[0-9]+$/.test(Founded);
  const rows = rowsOf(bytes);
  const invalid = rows.filter((row) => !isNumber(row));
  expect(invalid.length).toBeGreaterThan(0);
  const { counts, reasons } = await importBytes(bytes, { map });
  expect(counts).toEqual({ ...nothing, lines: 503, created: 503 - invalid.length, rejected: invalid.length });
  expect(new Set(reasons.map(([, reason]) => reason))).toEqual(
    new Set(["attributes.founded must be a number"]),
  );
  const { data } = (await call("GET", "/api/v1/accounts/external/MMM?include=attributes")).body;
  expect(data.attributes).toEqual({ cik: "66740", founded: 1902, sector: "Industrials" });
  expect((await importBytes(bytes, { map })).counts).toMatchObject({ unchanged: 503 - invalid.length });
  const exported = rowsOf(Buffer.from((await call("GET", "/api/v1/accounts.csv?externalId=MMM")).text));
  expect(exported).toMatchObject([
    { "attributes.cik": "66740", "attributes.founded": "1902", "attributes.sector": "Industrials" },
  ]);
});

test("A file in Windows-1252 is named as such, and imported with this encoding; in UTF-8 its lines are rejected", async () => {
  const { importBytes, names } = await importWorld();
  // The public file has U+FFFD in UTF-8 where the original had a degree sign in Windows-1252.
  const text = bytesOf("location_coordinates.csv").toString();
  const bytes = Buffer.from(text.replaceAll("\uFFFD", "\u00B0"), "latin1");
  const map = "Contact Phone Number=externalId,Location Coordinates=name";
  await expect(importBytes(bytes, { map })).rejects.toThrow(
    "file.csv is not UTF-8: it is perhaps Windows-1252. Add --encoding windows-1252, and check letters such as ä and é after the import.",
  );
  const rejected = await importBytes(bytes, { map, encoding: "utf-8" });
  expect(rejected.counts).toEqual({ ...nothing, lines: 1, rejected: 1 });
  expect(rejected.reasons).toEqual([[2, invalidBytesFault]]);
  const { counts } = await importBytes(bytes, { map, encoding: "windows-1252" });
  expect(counts).toEqual({ ...nothing, lines: 1, created: 1 });
  expect([...(await names()).values()][0]).toContain("\u00B0");
});
