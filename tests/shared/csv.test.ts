import { expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import fc from "fast-check";
import { CsvReader } from "../../src/shared/imports/csv.ts";
import { CsvFile, guessSeparator } from "../../src/shared/imports/csv-file.ts";

function readParts(parts: readonly string[], separator = ",") {
  const reader = new CsvReader(separator);
  return [...parts.flatMap((part) => reader.read(part)), ...reader.read("", { isEnd: true })];
}

const fault = 'a quote is not closed, or a text follows its closing quote: write a quote within quotes as ""';

test("quoted fields have separators, quotes and line breaks, and the lines are counted", () => {
  const text = 'id,name\r\n1,"a ""b"", c"\n\n2,"x\ny"\r3, z ';
  expect(readParts([text])).toEqual([
    { line: 1, cells: ["id", "name"] },
    { line: 2, cells: ["1", 'a "b", c'] },
    { line: 4, cells: ["2", "x\ny"] },
    { line: 6, cells: ["3", "z"] },
  ]);
});

test("a CRLF within quotes is one line", () => {
  const text = 'id,address\r\na1,"1 Main St\r\nSuite 2\r\nSpringfield"\r\na2,x\r\n';
  expect(readParts([text]).map(({ line }) => line)).toEqual([1, 2, 5]);
});

test("a quote that is not closed is a fault of its line, and the next line is read", () => {
  expect(readParts(['a,b\n1,"x\n2,y\n'])).toEqual([
    { line: 1, cells: ["a", "b"] },
    { line: 2, cells: ["1", '"x'], fault },
    { line: 3, cells: ["2", "y"] },
  ]);
});

test("characters after a closing quote are a fault of the record, whose first line keeps its other fields", () => {
  expect(readParts(['"p,q","a"b,"c\nd",x\n1,2\n'])).toEqual([
    { line: 1, cells: ["p,q", '"a"b', '"c'], fault },
    { line: 2, cells: ['d"', "x"] },
    { line: 3, cells: ["1", "2"] },
  ]);
  expect(readParts(['"e" ,f\n'])).toEqual([{ line: 1, cells: ["e", "f"] }]);
});

test("records without a value are skipped and counted as lines", () => {
  expect(readParts(['a,b\n,,\n;\n"",\n , \n1,2\n']).map(({ line }) => line)).toEqual([1, 3, 6]);
});

test.each(["\n", "\r\n", "\r"])(
  "a line of more than 1 MiB is a fault, and the next one is read: %j",
  (lineEnd) => {
    const long = "x".repeat(1_100_000);
    for (const text of [long, `${long}"`, `"${long}`, `"${long}"`]) {
      const [first, ...others] = readParts(
        `a${lineEnd}${text}${lineEnd}b`.match(/[\s\S]{1,100000}/g) ?? [],
      ).slice(1);
      expect(first).toMatchObject({
        line: 2,
        fault: "the row has more than 1 MiB: a quote may not be closed",
      });
      expect(others).toEqual([{ line: 3, cells: ["b"] }]);
    }
  },
);

test("a faulty record of many quoted lines is read in linear time", () => {
  const text = `a,${'"l\nm",'.repeat(150_000)}"x" y\nb,c\n`;
  const before = process.cpuUsage();
  const records = readParts([text]);
  // Processor time, in microseconds: other programs use the same cores.
  expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
  expect(records.at(-1)).toEqual({ line: 150_002, cells: ["b", "c"] });
  expect(records).toHaveLength(150_002);
});

const texts = fc.array(
  fc.constantFrom("a", "b", ",", ";", '"', '""', "\n", "\r\n", "\r", " ", "\u00a0", "é"),
  { maxLength: 40 },
);

test("records without a fault are those of another parser, in parts of any length", () => {
  const property = fc.property(texts, fc.integer({ min: 1, max: 5 }), (pieces, size) => {
    const text = pieces.join("");
    const records = readParts([text]);
    expect(readParts(text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [])).toEqual(records);
    if (records.some((record) => record.fault !== undefined)) return;
    // That parser loses quotes after a closing quote and blanks, and rejects other characters there.
    fc.pre(!/"[ \u00a0]+/.test(text));
    const expected: string[][] = parse(text, {
      delimiter: ",",
      record_delimiter: ["\r\n", "\n", "\r"],
      trim: true,
      relax_column_count: true,
      relax_quotes: true,
    });
    const hasValue = (cells: string[]) => cells.some((cell) => cell !== "");
    expect(records.map(({ cells }) => cells)).toEqual(expected.filter(hasValue));
  });
  fc.assert(property, { numRuns: 2_000 });
});

test("every line with a value is in a record, whatever the quotes are", () => {
  const property = fc.property(texts, (pieces) => {
    const text = `${pieces.join("")}\nlast,line`;
    const records = readParts([text]);
    const lines = text.split(/\r\n|\r|\n/);
    expect(records.at(-1)?.line).toBeLessThanOrEqual(lines.length);
    for (const [i, { line, cells, fault: found }] of records.entries()) {
      const next = records[i + 1]?.line ?? lines.length + 1;
      const lost = lines.slice(line, next - 1).filter((content) => content.replace(/[",\s]/g, "") !== "");
      // A record without a fault has the lines up to the next one.
      for (const content of lost)
        expect([found, cells.join("\n")]).toEqual([
          undefined,
          expect.stringContaining(content.match(/[ab;é]+/)?.[0] ?? ""),
        ]);
    }
  });
  fc.assert(property, { numRuns: 1_500 });
});

test.each([
  ["a,b\nc;d;e", ","],
  ['\n"a,b,c";d', ";"],
  ["a\tb", "\t"],
  ['"External\nId";"Account\nName";MRR\na1;Acme;5\n', ";"],
  ['"Plan;tier;seats\n(code)",externalId,name\np,a1,Acme\n', ","],
  ["externalId;name (legal, full, registered)\na1;Acme\n", ";"],
  ["id;name, legal\n1;Acme, Inc\n2;Beta\n", ";"],
  ["id,name,note\n1,Acme,a;b;c;d\n2,Beta,a;b;c;d\n", ","],
  ["externalId\na;b\n", ","],
])("the separator of %j is %j", (text, separator) => {
  expect(guessSeparator(text)).toBe(separator);
});

test("a table that another program wrote is read cell by cell", () => {
  const cell = fc
    .array(fc.constantFrom("a", "é", '"', ",", ";", "\t", "\n", "\r\n", "\r", " b", "'", "🎉", "|"), {
      maxLength: 6,
    })
    .map((pieces) => pieces.join("").trim());
  const table = fc.integer({ min: 2, max: 5 }).chain((width) => {
    const row = fc.array(cell, { minLength: width, maxLength: width });
    return fc.array(
      row.filter((cells) => cells.some((text) => text !== "")),
      { maxLength: 30 },
    );
  });
  const settings = fc.record({
    delimiter: fc.constantFrom(",", ";", "\t"),
    record_delimiter: fc.constantFrom("\n", "\r\n", "\r"),
    quoted: fc.boolean(),
  });
  const property = fc.property(table, settings, fc.integer({ min: 1, max: 50 }), (rows, options, size) => {
    const names = (rows[0] ?? ["", ""]).map((_, i) => `name ${i}`);
    const text = stringify([names, ...rows], { ...options, quoted_match: /[\r\n,;\t]/ });
    const bytes = Buffer.from(text);
    const file = new CsvFile();
    const records = [];
    for (let at = 0; at < bytes.length; at += size)
      records.push(...file.read(bytes.subarray(at, at + size), false));
    records.push(...file.read(new Uint8Array(), true));
    expect(file.header).toEqual({ names, separator: options.delimiter });
    expect(records.map(({ cells, fault: found }) => found ?? cells)).toEqual(rows);
  });
  fc.assert(property, { numRuns: 500 });
});

const bytesOf = (text: string, encoding: "utf8" | "utf16le" | "utf16be") => {
  if (encoding === "utf8") return Buffer.from(text);
  const bytes = Buffer.from(`\uFEFF${text}`, "utf16le");
  return encoding === "utf16le" ? bytes : bytes.swap16();
};

test.each(["utf8", "utf16le", "utf16be"] as const)(
  "a file in %s is read in parts of any length, with every character",
  (encoding) => {
    const text = "externalId;name\na;Zoë 🎉 \uFFFD\uFEFF.\nb;€\n";
    const bytes = bytesOf(text, encoding);
    for (const size of [1, 2, 3, 5, 1_000]) {
      const file = new CsvFile();
      const records = [];
      for (let at = 0; at < bytes.length; at += size)
        records.push(...file.read(bytes.subarray(at, at + size), false));
      records.push(...file.read(new Uint8Array(), true));
      expect(file.header).toEqual({ names: ["externalId", "name"], separator: ";" });
      expect(records.map(({ cells }) => cells)).toEqual([
        ["a", "Zoë 🎉 \uFFFD\uFEFF."],
        ["b", "€"],
      ]);
    }
  },
);
