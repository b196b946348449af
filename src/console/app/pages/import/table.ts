import { unescapeFormula } from "../../../../shared/cells.ts";
import { limitsOfField } from "../../../../shared/file-fields.ts";
import type { ColumnScan } from "../../../../shared/imports/column-scan.ts";
import type { ValueMap } from "../../../../shared/imports/formats/values.ts";
import {
  type ChosenFormats,
  createImportTable,
  type ImportTable,
  type TableInput,
} from "../../../../shared/imports/import-table.ts";
import { findUnknownChoices } from "../../../../shared/imports/row-cells.ts";
import { type AttributeTypes, type ColumnMapping, guessTargets, nameOfTarget } from "./mapping.ts";

/** What was chosen for a file. `values` are by the index of the column. */
export type ImportChoices = {
  targets: readonly ColumnMapping[];
  formats: ChosenFormats;
  values: Readonly<Record<number, ValueMap>>;
};

/** What the columns of a file are guessed from. */
export type FileInput = Omit<TableInput, "resource"> & { scan: ColumnScan };

/** The table of a file with the choices. */
export function tableOf(
  input: Omit<TableInput, "resource">,
  { targets, formats, values }: ImportChoices,
): ImportTable {
  const columns = targets.flatMap((target, index) => {
    const type = target && "attribute" in target ? target.type : undefined;
    return target ? { index, field: nameOfTarget(target), type, values: values[index] } : [];
  });
  return createImportTable({ ...input, resource: "accounts" }, columns, formats);
}

/** The choices that are proposed for a file. */
export function guessChoices(
  header: readonly string[],
  types: AttributeTypes,
  samples: readonly (readonly string[])[],
): ImportChoices {
  return { targets: guessTargets(header, types, samples), formats: {}, values: {} };
}

/** The choices with other targets. Values that were chosen for a column with another target are dropped. */
export function withTargets(choices: ImportChoices, targets: readonly ColumnMapping[]): ImportChoices {
  const values = Object.entries(choices.values).filter(
    ([index]) => targets[Number(index)] === choices.targets[Number(index)],
  );
  return { ...choices, targets, values: Object.fromEntries(values) };
}

/** The values of a column with a fixed list that the list does not have: of the whole file, if they are few. */
export function unknownValues(
  { targets }: ImportChoices,
  scan: ColumnScan,
  samples: readonly (readonly string[])[],
): { index: number; field: string; choices: readonly string[]; values: readonly string[] }[] {
  return targets.flatMap((target, index) => {
    if (!target || !("member" in target)) return [];
    const { choices } = limitsOfField("accounts", target.member);
    const texts = scan.valuesOf(index) ?? samples.map((cells) => cells[index] ?? "");
    const values = findUnknownChoices(
      { field: target.member, type: "string", choices },
      texts.map(unescapeFormula),
    );
    return choices && values.length > 0 ? [{ index, field: target.member, choices, values }] : [];
  });
}
