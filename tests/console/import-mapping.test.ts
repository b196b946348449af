import { expect, test } from "bun:test";
import {
  type AttributeTypes,
  addAttributes,
  attributeNameOf,
  columnLabel,
  faultsOf,
  guessTargets,
  members,
} from "../../src/console/app/pages/import/mapping.ts";
import { tableOf } from "../../src/console/app/pages/import/table.ts";
import { importedFields } from "../../src/shared/file-fields.ts";
import { ColumnScan } from "../../src/shared/imports/column-scan.ts";

test("the members are those of the command line", () => {
  expect([...members] as string[]).toEqual(Object.keys(importedFields.accounts));
});

test("the type of an attribute is its own, else that of the organization, else that of all values", () => {
  const header = ["externalId", "attributes.a:string", "a", "b", "constructor"];
  const scan = new ColumnScan(header);
  const samples = [["x", "5", "6", "true", ""]];
  for (const cells of samples) scan.add(cells);
  const typesOf = (attributeTypes: AttributeTypes) => {
    const targets = addAttributes(header, attributeTypes, guessTargets(header, attributeTypes));
    const { columns } = tableOf(
      { header, attributeTypes, samples, scan },
      { targets, formats: {}, values: {} },
    );
    return columns.map(({ field, type }) => [field, type]);
  };
  expect(typesOf({ a: "number" }).slice(1)).toEqual([
    ["attributes.a", "string"],
    ["attributes.b", "boolean"],
    ["attributes.constructor", "string"],
  ]);
  expect(typesOf({ b: "date" })).toContainEqual(["attributes.b", "date"]);
});

test("the name of a column is the name of an attribute as it is, with _ for other characters", () => {
  expect(attributeNameOf("Plan", {})).toBe("Plan");
  expect(attributeNameOf("ARR_2026", {})).toBe("ARR_2026");
  expect(attributeNameOf("GICS Sector", {})).toBe("GICS_Sector");
  expect(attributeNameOf("attributes.plan:string", {})).toBe("plan");
  expect(attributeNameOf("Größe (m²)", {})).toBe("Gro_e_m");
  expect(attributeNameOf("2026", {})).toBe("column_2026");
});

test("a column gets the attribute of the organization whose name differs in case or blanks only", () => {
  expect(attributeNameOf("Plan", { plan: "string" })).toBe("plan");
  expect(attributeNameOf("GICS Sector", { gicsSector: "string" })).toBe("gicsSector");
  expect(attributeNameOf("Plan", { plan: "string", Plan: "number" })).toBe("Plan");
  expect(attributeNameOf("constructor", {})).toBe("constructor");
});

test("a missing externalId, two columns for a member and an invalid name prevent an import", () => {
  expect(faultsOf(["a"], [{ member: "name" }])).toEqual([
    "Choose the column that is imported as External id.",
  ]);
  const targets = [
    { member: "externalId" },
    { member: "externalId" },
    { attribute: "9", type: "string" },
  ] as const;
  expect(faultsOf(["a", "b", "c"], targets)).toEqual([
    "a and b are both imported as External id. Choose one of them.",
    "The attribute of c needs a name of 1 to 64 letters, digits and underscores that begins with a letter.",
  ]);
});

test("a column without a name has its number in the table, in its attribute and in faults", () => {
  const header = ["id", ""];
  expect([0, 1].map((i) => columnLabel(header, i))).toEqual(["id", "Column 2"]);
  expect(attributeNameOf(columnLabel(header, 1), {})).toBe("Column_2");
  expect(faultsOf(header, [{ member: "externalId" }, { member: "externalId" }])).toEqual([
    "id and Column 2 are both imported as External id. Choose one of them.",
  ]);
});
