import { expect, test } from "bun:test";
import { mapColumns } from "../../src/cli/import/columns.ts";
import {
  convertText,
  escapeFormula,
  isNumber,
  isPlainNumber,
  unescapeFormula,
} from "../../src/shared/cells.ts";
import { guessColumns } from "../../src/shared/imports/column-guess.ts";
import { ColumnScan } from "../../src/shared/imports/column-scan.ts";
import { dateFormats, isDateOfFormat, normalizeDate } from "../../src/shared/imports/formats/dates.ts";
import { hasGroups, normalizeNumber, numberFormats } from "../../src/shared/imports/formats/numbers.ts";
import { proposeFormats } from "../../src/shared/imports/formats/propose.ts";
import { readCells } from "../../src/shared/imports/row-cells.ts";

const length = 200_000;
const cells = [
  `${"1".repeat(length)}x`,
  `1${"0".repeat(length)}1`,
  `1${" ".repeat(length)}x`,
  `a${" ".repeat(length)}x`,
  `1${" 1".repeat(length / 2)}x`,
  `1${",111".repeat(length / 4)}x`,
  `2026-01-01${" ".repeat(length)}\n x`,
  `01.02.2026${" ".repeat(length)}\n x`,
  `1 May 2026${"\n".repeat(length)}\nx`,
  `10 : ${" ".repeat(length)}x`,
  `+${"1 ".repeat(length / 2)}x`,
  `${"'".repeat(length)}x`,
  `"${'" '.repeat(length / 2)}x`,
  `a@b${".".repeat(length)}@`,
  `a@${"b.".repeat(length / 2)}@`,
  `http://${"a".repeat(length)} x`,
  `${"T00:00:00.0".repeat(length / 11)}x`,
];

test.each(cells.map((cell): [string, string] => [cell.slice(0, 12), cell]))(
  "A cell of 200,000 characters that begins with %j takes less than a second of CPU time",
  (_, cell) => {
    const start = process.cpuUsage();
    for (const text of [cell, cell.trim(), `"${cell}`]) {
      isNumber(text);
      isPlainNumber(text);
      convertText(text, "number");
      hasGroups(text);
      unescapeFormula(escapeFormula(text));
      for (const format of numberFormats) normalizeNumber(text, format);
      for (const format of dateFormats) normalizeDate(text, format);
      isDateOfFormat(text);
      for (const type of ["number", "date", undefined] as const)
        proposeFormats({ header: ["x"], resource: "accounts" }, [{ index: 0, type }], [[text]]);
      new ColumnScan(["x"]).add([text]);
      guessColumns({ header: ["x", text], resource: "contacts", attributeTypes: {}, samples: [[text]] });
      guessColumns({ header: ["logo"], resource: "accounts", attributeTypes: {}, samples: [[text]] });
    }
    expect(process.cpuUsage(start).user).toBeLessThan(1_000_000);
  },
);

test("Three rows of 10,000 attributes take less than three seconds of CPU time", () => {
  const header = ["externalId", ...Array.from({ length: 10_000 }, (_, i) => `attributes.a${i}`)];
  const cells = header.map((_, i) => `${i}`);
  const start = process.cpuUsage();
  const { table } = mapColumns(header, { resource: "accounts", entries: [], attributeTypes: {} }, [cells]);
  for (let count = 0; count < 3; count += 1) {
    const read = readCells(table.columns, table.formats, header.length, cells);
    expect("row" in read && Object.keys(read.row.attributes ?? {}).length).toBe(10_000);
  }
  expect(process.cpuUsage(start).user).toBeLessThan(3_000_000);
});
