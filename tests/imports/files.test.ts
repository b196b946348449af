import { expect, test } from "bun:test";
import { parseMap } from "../../src/cli/import/map.ts";
import { readStart } from "../../src/console/app/pages/import/file.ts";
import { UsageError } from "../../src/core/settings/operator-error.ts";
import { importWorld, nothing } from "./import-world.ts";

test("An update leaves members without a column or a value unchanged; numbers, statuses and times are read", async () => {
  const { importBytes, call } = await importWorld();
  const csv = "externalId,name,mrr,status,logoUrl,contactActivityAt\n";
  await importBytes(`${csv}acme,Acme,1250.5,onboarding,https://x.io/a.png,2026-01-01T10:00Z\n`);
  const { counts } = await importBytes("externalId,name,mrr\nacme,,-3e2\n");
  expect(counts).toEqual({ ...nothing, lines: 1, updated: 1 });
  const { data } = (await call("GET", "/api/v1/accounts/external/acme?include=status")).body;
  expect(data).toMatchObject({
    name: "Acme",
    mrr: -300,
    status: "onboarding",
    logoUrl: "https://x.io/a.png",
  });
});

test("Each rejected line has its columns, its number and its reason; the others are imported", async () => {
  const { importBytes, names } = await importWorld();
  const { counts, rejected } = await importBytes(
    [
      "externalId,name,mrr,status,logoUrl",
      "a,A,1,active,",
      ",No id,,,",
      "b,,,,",
      'c,"C\nC",much,active,',
      "",
      "d,D,,gone,",
      "e,E,1,active,ftp://x.io",
      ",,,,",
      "f,F,1",
      "g,G,1,active,,,",
      "h,H,1,active,,more",
      "a,Again,1,active,",
    ].join("\n"),
  );
  expect(counts).toEqual({ ...nothing, lines: 10, created: 3, rejected: 7 });
  expect(rejected.map(({ externalId, line, reason }) => [externalId, line, reason])).toEqual([
    ["", "3", "the line has no externalId"],
    ["b", "4", "name is required"],
    ["c", "5", "mrr must be a number"],
    ["d", "8", "status must be one of active, onboarding, churned, inactive"],
    ["e", "9", "logoUrl must be an http or https URL"],
    ["h", "13", "the line has 6 columns, the header 5"],
    ["a", "14", "line 2 has the same externalId"],
  ]);
  expect(rejected[2]).toMatchObject({ name: "C\nC", mrr: "much", status: "active", logoUrl: "" });
  expect([...(await names()).keys()]).toEqual(["a", "f", "g"]);
});

test("The separator is the one of comma, semicolon and tab by which rows have the fields of the header", async () => {
  for (const [text, name] of [
    ["externalId;name (legal, full, registered)\n1;x\n2;y\n", "x"],
    ['"External\nId";"Name";MRR\n1;x;5\n', "x"],
    ['"Plan;tier;seats\n(code)",externalId,name\np,1,x\n', "x"],
    ["externalId;name;a,b\n1;x,y;\n", "x,y"],
    ["externalId\tname\n1\tx;y\n", "x;y"],
    ['"externalId","na;;me",name\n1,,x\n', "x"],
    ["externalId , name\n1 ,  x\n", "x"],
  ] as const) {
    const { importBytes, names } = await importWorld();
    const map = text.includes("(legal") ? "name (legal\\, full\\, registered)=name" : undefined;
    const { counts } = await importBytes(text, map === undefined ? {} : { map });
    expect([text, counts.rejected]).toEqual([text, 0]);
    expect([...(await names()).values()][0]).toBe(name);
  }
});

test("A first line sep=; as Excel writes it sets the separator, and counts as a line", async () => {
  for (const [first, separator] of [
    ["sep=;\n", ";"],
    ["SEP=|\r\n", "|"],
    ['"sep=\t"\r', "\t"],
    ["\uFEFFsep=,\n", ","],
  ] as const) {
    const { importBytes, names } = await importWorld();
    const lines = [
      ["externalId", "name"],
      ["1", "X"],
      ["", "No id"],
    ].map((cells) => cells.join(separator));
    const { counts, reasons } = await importBytes(`${first}${lines.join("\n")}\n`);
    expect(counts).toEqual({ ...nothing, lines: 2, created: 1, rejected: 1 });
    expect(reasons).toEqual([[4, "the line has no externalId"]]);
    expect([...(await names()).values()]).toEqual(["X"]);
  }
});

test("A file that is no table is named as what it is, by the command and the console, with what to do", async () => {
  const { importBytes } = await importWorld();
  const latin1 = (text: string) => Buffer.from(text, "latin1");
  const zipOf = (entry: string) => latin1(`PK\x03\x04\x14\0\0\0${entry}\0`);
  for (const [content, message, name = "file.csv"] of [
    [Bun.gzipSync("externalId,name\n1,A\n"), "is compressed with gzip. Decompress it first."],
    [
      zipOf("[Content_Types].xml"),
      "is a zip file, such as a spreadsheet (.xlsx). Save it as CSV UTF-8 first.",
    ],
    [zipOf("Index/Document.iwa"), "is a file of Numbers. Export it as CSV UTF-8 first."],
    [zipOf("preview.jpg"), "is a file of Numbers. Export it as CSV UTF-8 first.", "a.numbers"],
    [latin1("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "is an old spreadsheet (.xls). Save it as CSV UTF-8 first."],
    [latin1("%PDF-1.7\n"), "is a PDF file. Export its table as CSV UTF-8 first."],
    [latin1("<html><body>"), "is an HTML page", "a.xls"],
    [latin1("\xef\xbb\xbf\r\n <TABLE border=1>"), "is an HTML page", "a.xls"],
    [Buffer.from("\uFEFF<!DOCTYPE html>", "utf16le"), "is an HTML page", "a.xls"],
    [latin1('<?xml version="1.0"?>'), "is XML. Open it in a spreadsheet", "a.xls"],
    ['[{"externalId":"1","name":"A"}]', "is JSON. Write an object on each line"],
    ['\n{\n  "accounts": []\n}\n', "is JSON. Write an object on each line"],
  ] as [string | Uint8Array<ArrayBuffer>, string, string?][]) {
    await expect(importBytes(content, { name })).rejects.toThrow(message);
    await expect(readStart(new File([content], name), 20)).rejects.toThrow(message);
  }
  await expect(importBytes(Bun.gzipSync("{}"), { name: "file.jsonl" })).rejects.toThrow("with gzip");
});

test("A header that begins like a zip file or a tag is one of a table", async () => {
  const { importBytes } = await importWorld();
  const { counts } = await importBytes("PK,<table of names>\n1,A\n", { map: "#1=externalId,#2=name" });
  expect(counts.created).toBe(1);
  const tag = await importBytes("<tables>,name\n2,A\n", { map: "#1=externalId" });
  expect(tag.counts.created).toBe(1);
});

test("A record of more than 1 MiB is rejected, and every line after its first one is in a count", async () => {
  const { importBytes, names } = await importWorld();
  const long = `externalId,name\na,A\nb,"${`${"x".repeat(99)}\n`.repeat(12_000)}`;
  const { counts, reasons } = await importBytes(`${long}"\nc,C\n`);
  expect(counts).toEqual({ ...nothing, lines: 12_003, created: 2, rejected: 12_001 });
  expect(reasons[0]).toEqual([3, "the row has more than 1 MiB: a quote may not be closed"]);
  expect([...(await names())]).toEqual([
    ["a", "A"],
    ["c", "C"],
  ]);
});

test("JSON lines: values keep their types, null clears, and bad lines are rejected", async () => {
  const { importBytes, call } = await importWorld();
  const name = "file.jsonl";
  await importBytes('{"externalId":"a","name":"A","mrr":5,"logoUrl":"https://x.io"}\n', { name });
  const { counts, rejected, ignored } = await importBytes(
    [
      '{"externalId":"a","mrr":7.5,"logoUrl":null,"plan":"pro"}',
      "",
      '{"externalId":"b","name":5}',
      '{"name":"C"}',
      "[1]",
      '{"externalId":"d","name":"D"',
      '{"externalId":7,"name":"E"}',
      '{"externalId":"f","name":"=F"}',
    ].join("\r\n"),
    { name },
  );
  expect(counts).toEqual({ ...nothing, lines: 7, created: 1, updated: 1, rejected: 5 });
  expect(ignored).toEqual(["plan"]);
  expect(rejected.map(({ line, reason }) => [Number(line), reason])).toEqual([
    [3, "name must be a string"],
    [4, "the line has no externalId"],
    [5, "the line is not a JSON object"],
    [6, "the line is not JSON"],
    [7, "externalId must be a string"],
  ]);
  expect(rejected[1]).toMatchObject({ name: "C", resource: "accounts" });
  expect(rejected[2]).toMatchObject({ content: "[1]" });
  const { data } = (await call("GET", "/api/v1/accounts/external/a")).body;
  expect([data.mrr, data.logoUrl]).toEqual([7.5, null]);
  expect((await call("GET", "/api/v1/accounts/external/f")).body.data.name).toBe("=F");
});

test("An export can be imported again: nothing changes", async () => {
  const { importBytes, call } = await importWorld();
  const names = ["=1+1", "'=1", "''@x", "\tx", "\rx", " x ", 'a"b', "a\r\nb", "-5", "plain", "a,b;c\td"];
  const accounts = names.map((name, i) => ({ externalId: `${i}${name}`, name, mrr: -i }));
  await call("POST", "/api/v1/accounts/batch", { accounts });
  for (const format of ["csv", "jsonl"]) {
    for (const query of ["", "?include=health,contactActivity"]) {
      const { text } = await call("GET", `/api/v1/accounts.${format}${query}`);
      const { counts } = await importBytes(text, { name: `file.${format}` });
      const unchanged = { ...nothing, lines: names.length, unchanged: names.length };
      expect([format, query, counts]).toEqual([format, query, unchanged]);
    }
  }
});

test.each([
  ["Symbl=externalId", "The file has no column Symbl. Did you mean Symbol?"],
  ["Symbol=name", "No column is imported as externalId."],
  ["Twice=externalId", "The file has the column Twice twice."],
])("The map %s does not fit the file", async (map, message) => {
  const { importBytes } = await importWorld();
  await expect(importBytes("Symbol,Name,Twice,Twice\nA,B,C,D\n", { map })).rejects.toThrow(message);
});

test.each([
  ["Symbol", "write COLUMN=FIELD"],
  ["Symbol=externlId", "Did you mean externalId?"],
  ["A=name,B=name", "two columns for name"],
  ["A=attributes.2plan", "An attribute is attributes.NAME or attributes.NAME:TYPE"],
  ["A=attributes.plan:text", "An attribute is attributes.NAME or attributes.NAME:TYPE"],
  ["A=attributes.plan,B=attributes.plan:number", "two columns for attributes.plan"],
])("--map %s is an error", (map, message) => {
  expect(() => parseMap(map, "accounts")).toThrow(message);
  expect(() => parseMap(map, "accounts")).toThrow(UsageError);
});

test("Meetings have no attributes", () => {
  expect(() => parseMap("A=attributes.plan", "meetings")).toThrow("A row of meetings has no field");
});

test("A column of the map can have commas and equals signs, and be imported twice", async () => {
  const { importBytes, names } = await importWorld();
  const map = "a\\,b=c=externalId,a\\,b=c=name";
  expect((await importBytes('"a,b=c",name\nx,other\n', { map })).ignored).toEqual(["name"]);
  expect([...(await names())]).toEqual([["x", "x"]]);
});

test("An empty file has no header; a header alone has no lines", async () => {
  const { importBytes } = await importWorld();
  await expect(importBytes("")).rejects.toThrow("has no header");
  expect((await importBytes("externalId,name\n")).counts).toEqual(nothing);
});

test("A file of contacts is not imported as accounts, unless its column is mapped", async () => {
  const { importBytes } = await importWorld();
  const csv = "externalId,accountExternalId,name\np1,acme,Ada\n";
  await expect(importBytes(csv)).rejects.toThrow("Add --resource contacts, meetings or requests");
});
