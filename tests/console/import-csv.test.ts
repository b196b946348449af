import { expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import {
  CsvReader,
  delimiterOf,
  formatCsvLine,
  unescapeFormula,
} from "../../src/console/app/pages/import/csv.ts";

function readParts(parts: readonly string[], delimiter = ",") {
  const reader = new CsvReader(delimiter);
  return [...parts.flatMap((part) => reader.read(part)), ...reader.read("", { isEnd: true })];
}

test("quoted fields have separators, quotes and line breaks, and the lines are counted", () => {
  const text = 'id,name\r\n1,"a ""b"", c"\n\n2,"x\ny"\r3, z ';
  expect(readParts([text])).toEqual([
    { line: 1, cells: ["id", "name"] },
    { line: 2, cells: ["1", 'a "b", c'] },
    { line: 4, cells: ["2", "x\ny"] },
    { line: 6, cells: ["3", "z"] },
  ]);
});

test("a quote that is not closed is a fault of its record", () => {
  const [header, row] = readParts(['a,b\n1,"x\n2,y\n']);
  expect(header).toEqual({ line: 1, cells: ["a", "b"] });
  expect(row).toMatchObject({ line: 2, fault: expect.stringContaining("a quote is not closed") });
});

test("characters after a closing quote make the quotes a part of the field", () => {
  expect(readParts(['"a"b,"c" d,"e" \n'])).toEqual([{ line: 1, cells: ['"a"b', '"c" d', "e"] }]);
});

test("a record that is too long ends the reading", () => {
  const reader = new CsvReader(",");
  expect(() => reader.read(`a,"${"x".repeat(1_100_000)}`)).toThrow("a quote may not be closed");
});

const texts = fc.array(
  fc.constantFrom("a", "b", ",", ";", '"', '""', "\n", "\r\n", "\r", " ", "\u00a0", "é"),
  {
    maxLength: 40,
  },
);

test("the records are those of the command line's parser, in parts of any length", () => {
  const property = fc.property(texts, fc.integer({ min: 1, max: 5 }), (pieces, size) => {
    const text = pieces.join("");
    // That parser loses quotes after a closing quote and blanks.
    fc.pre(!/"[ \u00a0]+"/.test(text));
    let expected: string[][];
    try {
      expected = parse(text, {
        delimiter: ",",
        record_delimiter: ["\r\n", "\n", "\r"],
        trim: true,
        relax_column_count: true,
        relax_quotes: true,
        skip_empty_lines: true,
      });
    } catch {
      return; // It rejects blanks and other characters after a closing quote.
    }
    const parts = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
    const records = readParts(parts).map((record) => ("cells" in record ? record.cells : record.fault));
    expect(records).toEqual(expected);
  });
  fc.assert(property, { numRuns: 3_000 });
});

test("the separator is the one that the first line has most of outside of quotes", () => {
  expect(delimiterOf("a,b\nc;d;e")).toBe(",");
  expect(delimiterOf('\n"a,b,c";d')).toBe(";");
  expect(delimiterOf("a\tb")).toBe("\t");
});

test("written lines are read as they were, and formulas are escaped", () => {
  const property = fc.property(fc.array(fc.string(), { minLength: 2, maxLength: 4 }), (cells) => {
    const [record] = readParts([formatCsvLine(cells)]);
    expect(record && "cells" in record && record.cells.map(unescapeFormula)).toEqual(
      cells.map(unescapeFormula),
    );
  });
  fc.assert(property);
  expect(unescapeFormula(`'"a" `)).toBe('"a" ');
  expect(formatCsvLine(["=1+1", "'=1+1", "-5", "@x", 'a"b'])).toBe(`'=1+1,'=1+1,-5,'@x,"a""b"\n`);
});
