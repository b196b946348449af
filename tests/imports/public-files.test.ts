import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { importWorld, nothing } from "./import-world.ts";

const root = join(import.meta.dir, "../..");
const bytesOf = (name: string) => readFileSync(join(root, "tests/imports/public", name));

/** The rows of a file with another parser's settings: no option of the import but the separator. */
function rowsOf(bytes: Uint8Array, delimiter = ","): Record<string, string>[] {
  return parse(Buffer.from(bytes), { columns: true, delimiter, bom: true });
}

/** Files whose every line can be imported. */
const whole = [
  { name: "countries.csv", id: "countryCode", title: "countryNameLocal" },
  { name: "countries.csv", id: "countryCode", title: "flag" },
  { name: "gapminder-health-income.csv", id: "country", title: "region" },
  { name: "unemployment.tsv", id: "id", title: "rate", delimiter: "\t" },
];

test.each(whole)("$name is imported as it is with $title as the name, and unchanged again", async (file) => {
  const { name, id, title, delimiter } = file;
  const { importBytes, names } = await importWorld();
  const bytes = bytesOf(name);
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
});

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

test("The companies of the quickstart: names with quotes and commas", async () => {
  const { importBytes, names } = await importWorld();
  const bytes = readFileSync(join(root, "src/quickstart/sp500.csv"));
  const { counts } = await importBytes(bytes, { map: "Symbol=externalId,Security=name" });
  expect(counts).toEqual({ ...nothing, lines: 503, created: 503 });
  expect((await names()).get("MMM")).toBe("3M");
});

test("Columns are imported as attributes, with their types; a text that is no number rejects its line", async () => {
  const { importBytes, call } = await importWorld();
  const bytes = readFileSync(join(root, "src/quickstart/sp500.csv"));
  const map =
    "Symbol=externalId,Security=name,GICS Sector=attributes.sector,Founded=attributes.founded:number,CIK=attributes.cik";
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

test("Lines with the same external id: the first is imported, the others are rejected by name", async () => {
  const { importBytes, names } = await importWorld();
  const bytes = bytesOf("gapminder-health-income.csv");
  const map = "region=externalId,country=name";
  const { counts, reasons } = await importBytes(bytes, { map });
  expect(counts).toEqual({ ...nothing, lines: 187, created: 6, rejected: 181 });
  expect((await names()).get("south_asia")).toBe("Afghanistan");
  expect(reasons[0]).toEqual([5, "line 3 has the same externalId"]);
  expect((await importBytes(bytes, { map })).counts).toMatchObject({ updated: 0, unchanged: 6 });
});

test("A file in Windows-1252: the line with other bytes than UTF-8 is rejected, if they are imported", async () => {
  const { importBytes } = await importWorld();
  // The public file has U+FFFD in UTF-8 where the original had a degree sign in Windows-1252.
  const text = bytesOf("location_coordinates.csv").toString();
  const bytes = Buffer.from(text.replaceAll("\uFFFD", "\u00B0"), "latin1");
  const rejected = await importBytes(bytes, {
    map: "Contact Phone Number=externalId,Location Coordinates=name",
  });
  expect(rejected.counts).toEqual({ ...nothing, lines: 1, rejected: 1 });
  expect(rejected.reasons).toEqual([[2, "the line has bytes that are not UTF-8: convert the file"]]);
  const { counts } = await importBytes(bytes, { map: "Contact Phone Number=externalId,Cities=name" });
  expect(counts).toEqual({ ...nothing, lines: 1, created: 1 });
});

test("The character U+FFFD is imported as it is", async () => {
  const { importBytes, names } = await importWorld();
  const { counts } = await importBytes(bytesOf("location_coordinates.csv"), {
    map: "Contact Phone Number=externalId,Location Coordinates=name",
  });
  expect(counts).toEqual({ ...nothing, lines: 1, created: 1 });
  expect([...(await names()).values()][0]).toContain("37\uFFFD36'37.8\"N");
});

test("A field with quotes and line breaks is imported as it is", async () => {
  const { importBytes, names } = await importWorld();
  const { counts } = await importBytes(bytesOf("quotes_and_newlines.csv"), { map: "a=externalId,b=name" });
  expect(counts).toEqual({ ...nothing, lines: 2, created: 2 });
  expect([...(await names())]).toEqual([
    ["1", 'ha \n"ha" \nha'],
    ["3", "4"],
  ]);
});
