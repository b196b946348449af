import { expect, test } from "bun:test";
import { lstatSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { RejectedLines } from "../../src/cli/import/rejected.ts";
import { type FileEncoding, fileEncodings } from "../../src/shared/imports/encodings.ts";
import type { FileRows } from "../../src/shared/resources.ts";
import { temporaryFile } from "../support/world.ts";
import { importWorld } from "./import-world.ts";

test("A column resource of a file of accounts does not change the name of its file of rejected lines", () => {
  const path = temporaryFile("file.csv");
  const header = { names: ["externalId", "resource"], separator: "," };
  for (let count = 0; count < 2; count += 1) {
    const rejected = new RejectedLines(
      path,
      { header, isJsonLines: false, hasByteOrderMark: false },
      { resource: "accounts", isDryRun: false },
    );
    rejected.add(["a", "contacts"], 2, "the reason");
    rejected.close();
    expect(rejected.path).toBe(`${path}.rejected.csv`);
  }
});

test("The rejected lines of another resource stay, whatever the encodings of both files are", () => {
  const path = temporaryFile("file.csv");
  const header = { names: ["externalId", "naïve"], separator: "," };
  function reject(resource: FileRows, encoding: FileEncoding | undefined, hasByteOrderMark: boolean) {
    const source = { header, isJsonLines: false, hasByteOrderMark, encoding };
    const rejected = new RejectedLines(path, source, { resource, isDryRun: false });
    rejected.add(["a", "Müller"], 2, "the reason");
    rejected.close();
    return rejected.path;
  }
  const encodings = [undefined, ...fileEncodings];
  for (const [first, hasMark] of [
    ...encodings.map((name) => [name, false] as const),
    [undefined, true] as const,
  ])
    for (const second of encodings) {
      rmSync(`${path}.rejected.csv`, { force: true });
      expect(reject("contacts", first, hasMark)).toBe(`${path}.rejected.csv`);
      expect(reject("accounts", second, false)).toBe(`${path}.accounts.rejected.csv`);
      expect(reject("contacts", second, false)).toBe(`${path}.rejected.csv`);
    }
});

test("A symbolic link in the place of the file of rejected lines is replaced, and its target stays", () => {
  const path = temporaryFile("file.csv");
  writeFileSync(path, "own");
  symlinkSync(path, `${path}.rejected.csv`);
  const source = {
    header: { names: ["externalId"], separator: "," },
    isJsonLines: false,
    hasByteOrderMark: false,
  };
  const rejected = new RejectedLines(path, source, { resource: "accounts", isDryRun: false });
  rejected.add(["a"], 2, "the reason");
  rejected.close();
  expect([readFileSync(path, "utf8"), rejected.path]).toEqual(["own", `${path}.rejected.csv`]);
  expect(lstatSync(`${path}.rejected.csv`).isFile()).toBe(true);
});

test("Rejected lines are escaped like an export; numbers and escaped cells stay as they are", async () => {
  const { importBytes } = await importWorld();
  const cells = ["=1+1", "'=1", "''@x", "-5", "'-5", "+1e3", "-5 apples", "@x", "'plain"];
  const rows = cells.map((cell) => `,${cell}`);
  const { rejectedText } = await importBytes(`externalId,=name\n${rows.join("\n")}\n`, {
    map: "=name=name",
  });
  expect(rejectedText.split("\n").map((line) => line.split(",")[1])).toEqual([
    ...["'=name", "'=1+1", "'=1", "''@x", "-5", "'-5", "+1e3", "'-5 apples", "'@x", "'plain"],
    undefined,
  ]);
});

test("The file of rejected lines has the values of the imported one, and its byte-order mark", async () => {
  const { importBytes, call, names } = await importWorld();
  const parts = ['"', '""', " ", "\t", "\n", "\r", ",", ";", "'", "=", "-", "1", "a", "\u00a0"];
  const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const property = fc.asyncProperty(
    fc.array(fc.string({ unit: fc.constantFrom(...parts), minLength: 1, maxLength: 6 }), { minLength: 20 }),
    fc.constantFrom("", "\uFEFF"),
    async (texts, mark) => {
      const csvOf = (status: string) => [
        `${mark}externalId,=a;b,status`,
        ...texts.map((text, i) => `${i},${quote(`${text}.`)},${status}`),
      ];
      const settings = { map: "=a;b=name" };
      await importBytes(csvOf("active").join("\n"), settings);
      const expected = await names();
      const { rejectedText, counts } = await importBytes(csvOf("x").join("\n"), settings);
      expect(counts.rejected).toBe(texts.length);
      expect(rejectedText.startsWith("\uFEFF")).toBe(mark !== "");
      const accounts = texts.map((_, i) => ({ externalId: `${i}`, name: "changed" }));
      await call("POST", "/api/v1/accounts/batch", { accounts });
      await importBytes(rejectedText.replaceAll(/,x,(\d+,"status must)/g, ",,$1"), settings);
      expect(await names()).toEqual(expected);
    },
  );
  await fc.assert(property, { numRuns: 10 });
});

test("The file of rejected lines has the separator of the file, and names that the file does not have", async () => {
  const { importBytes, call } = await importWorld();
  const csv = "externalId;name;Reason;line;sum\na1;;price;x;1,5\na2;Beta;support;y;2,5\n";
  const map = "reason=attributes.churnReason,line=attributes.line";
  const first = await importBytes(csv, { map });
  expect(first.rejectedText).toBe(
    'externalId;name;Reason;line;sum;line 2;reason 2\na1;;price;x;"1,5";2;name is required\n',
  );
  const repaired = first.rejectedText.replace("a1;;", "a1;Acme;");
  const { counts } = await importBytes(repaired, { map });
  expect(counts.created).toBe(1);
  const { data } = (await call("GET", "/api/v1/accounts/external/a1?include=attributes")).body;
  expect(data.attributes).toEqual({ churnReason: "price", line: "x" });
});

test("The own columns of a file of rejected lines are no attributes with these names", async () => {
  const { importBytes, call, account } = await importWorld();
  const attributes = { line: "A-7", Reason: "keep", resource: "orig" };
  await account({ name: "Acme", externalId: "a", attributes });
  for (const [resource, row, bad] of [
    ["accounts", "externalId,name,mrr\na,Acme,", "x"],
    ["contacts", "externalId,accountExternalId,name,email\nc,a,Ada,", "x"],
  ] as const) {
    if (resource === "contacts")
      await importBytes(
        JSON.stringify({ externalId: "c", accountExternalId: "a", name: "Ada", attributes }),
        { resource, name: "file.jsonl" },
      );
    const first = await importBytes(`${row}${bad}\n`, { resource });
    const second = await importBytes(first.rejectedText, { resource });
    const repaired = second.rejectedText.replace(`,${bad},`, ",,");
    expect(repaired).toContain("line 2");
    expect((await importBytes(repaired, { resource })).counts).toMatchObject({ unchanged: 1, rejected: 0 });
    const { data } = (
      await call("GET", `/api/v1/${resource}${resource === "accounts" ? "?include=attributes" : ""}`)
    ).body;
    expect(data).toEqual([expect.objectContaining({ attributes })]);
  }
});

test("The file of rejected lines can be imported as it is with any separator", async () => {
  for (const [start, separator] of [
    ["", ","],
    ["", ";"],
    ["", "\t"],
    ["sep=|\n", "|"],
    ["sep=^\n", "^"],
  ] as const) {
    const { importBytes, names } = await importWorld();
    const rows = ["externalId,name,status", "a,A; B,x", 'b,"B\nC",x'].map((row) =>
      row.replaceAll(",", separator),
    );
    const text = `${start}${rows.join("\n")}\n`.replace("A; B", separator === ";" ? '"A; B"' : "A; B");
    const { rejectedText, counts } = await importBytes(text);
    expect(counts.rejected).toBe(2);
    const { counts: repaired } = await importBytes(rejectedText, { map: "status=" });
    expect([separator, repaired.created]).toEqual([separator, 2]);
    expect([...(await names()).values()]).toEqual(["A; B", "B\nC"]);
  }
});

test("The file of rejected lines has the bytes that are not UTF-8 as they were", async () => {
  const { importBytes } = await importWorld();
  const csv = Buffer.from("externalId;name\r\na1;Soci\u00e9t\u00e9\r\n", "latin1");
  const { rejectedBytes } = await importBytes(csv, { encoding: "utf-8" });
  expect(rejectedBytes.toString("latin1")).toStartWith(
    "externalId;name;line;reason\na1;Soci\u00e9t\u00e9;2;",
  );
});

test("A row with too many cells is rejected again until it is repaired", async () => {
  const { importBytes, names } = await importWorld();
  const first = await importBytes("externalId,mrr,name\na,1,Acme, Inc.\nb,2,Beta,,\n,3,C\n");
  expect(first.reasons[0]).toEqual([2, "the line has 4 columns, the header 3"]);
  expect(first.rejectedText).toContain("\na,1,Acme,Inc.,2,");
  const again = await importBytes(first.rejectedText.replace("\n,3,C", "\nc,3,C"));
  expect(again.counts).toMatchObject({ created: 1, rejected: 1 });
  const repaired = await importBytes(again.rejectedText.replace("Acme,Inc.", '"Acme, Inc."'));
  expect(repaired.counts.created).toBe(1);
  expect([...(await names()).values()]).toEqual(["Beta", "C", "Acme, Inc."]);
});

test("The rejected lines of JSON lines are JSON lines, which the same command imports when they are repaired", async () => {
  const { importBytes, call, account } = await importWorld();
  await account({ name: "Acme", externalId: "a" });
  const name = "file.jsonl";
  const attributes = '"attributes":{"size":1.50,"line":"x"}';
  for (const [resource, start] of [
    ["accounts", '{"externalId":"n","name":"N","line":"own"'],
    ["contacts", '{"externalId":"c","name":"C","line":"own","accountExternalId":"a"'],
  ] as const) {
    const { rejectedText } = await importBytes(`${start},${attributes},"name":5}\r\n{}\nnull\n{"x\n`, {
      resource,
      name,
    });
    const lines = rejectedText.split("\n");
    expect(lines[0]).toBe(
      `${start},${attributes},"name":5,"resource":"${resource}","line 2":1,"reason":"name must be a string"}`,
    );
    expect(lines.slice(1)).toEqual([
      `{"resource":"${resource}","line":2,"reason":"the line has no externalId"}`,
      `{"content":"null","resource":"${resource}","line":3,"reason":"the line is not a JSON object"}`,
      `{"content":"{\\"x","resource":"${resource}","line":4,"reason":"the line is not JSON"}`,
      "",
    ]);
    const repaired = await importBytes(rejectedText.replace('"name":5', '"name":"D"'), { resource, name });
    expect(repaired.counts).toMatchObject({ created: 1, rejected: 3 });
    const { data } = (await call("GET", `/api/v1/${resource}?sortBy=name&sortOrder=desc`)).body;
    expect(data[0].name).toBe("D");
  }
});

test("The rejected lines of another resource stay, also of JSON lines in another encoding", () => {
  const path = temporaryFile("file.jsonl");
  const write = (resource: FileRows, encoding?: FileEncoding) => {
    const source = {
      header: { names: ["content"], separator: "," },
      isJsonLines: true,
      hasByteOrderMark: !encoding,
      encoding,
    };
    const rejected = new RejectedLines(path, source, { resource, isDryRun: false });
    rejected.add(['{"name":"\u00fc"}'], 1, "the reason");
    rejected.close();
    return rejected.path;
  };
  expect([
    write("contacts", "utf-16le"),
    write("contacts", "windows-1252"),
    write("accounts"),
    write("contacts"),
  ]).toEqual([
    ...[`${path}.rejected.jsonl`, `${path}.rejected.jsonl`],
    ...[`${path}.accounts.rejected.jsonl`, `${path}.rejected.jsonl`],
  ]);
});

test("A dry run has no file of rejected lines", async () => {
  const { importBytes } = await importWorld();
  const { rejectedText, reasons } = await importBytes("externalId,name\na,\n", { isDryRun: true });
  expect([rejectedText, reasons]).toEqual(["", [[2, "name is required"]]]);
});
