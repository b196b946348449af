import { dateFormats } from "../../../../shared/imports/formats/dates.ts";
import { type ValueMap, valueKey } from "../../../../shared/imports/formats/values.ts";
import type { ImportTable } from "../../../../shared/imports/import-table.ts";
import { Select } from "../../components/select.tsx";
import { Table } from "../../components/table.tsx";
import { formatMember, labelOf } from "../../editing/members.ts";
import { importing } from "../../messages/messages.ts";
import { columnLabel } from "./mapping.ts";
import { type FileInput, type ImportChoices, unknownValues } from "./table.ts";

const numberNames = { plain: "1250.50", point: "1,250.50", comma: "1.250,50" };
const text = importing.formats;
const { dateNames } = text;

type FormatChoicesProps = {
  choices: ImportChoices;
  table: ImportTable;
  onChange: (choices: ImportChoices) => void;
};

/** How numbers, dates and empty cells are read. What is not chosen is as the first rows show. */
export function FormatChoices({ choices, table: { proposal }, onChange }: FormatChoicesProps) {
  const { decimal, dates, isEmptyCleared = false } = choices.formats;
  const change = (formats: ImportChoices["formats"]) =>
    onChange({ ...choices, formats: { ...choices.formats, ...formats } });
  return (
    <div class="row formats">
      <Select
        label={text.numbers}
        options={[
          ["", text.asInFile(proposal.decimal ? numberNames[proposal.decimal] : text.notClear)],
          ["point", numberNames.point],
          ["comma", numberNames.comma],
        ]}
        value={decimal ?? ""}
        onChange={(value) => change({ decimal: value === "" ? undefined : value })}
      />
      <Select
        label={text.dates}
        options={[
          ["", text.asInFile(proposal.dates ? dateNames[proposal.dates] : text.notClear)],
          ...dateFormats.map((format) => [format, dateNames[format]] as const),
        ]}
        value={dates ?? ""}
        onChange={(value) => change({ dates: value === "" ? undefined : value })}
      />
      <label>
        <input
          type="checkbox"
          checked={isEmptyCleared}
          onChange={({ currentTarget }) => change({ isEmptyCleared: currentTarget.checked })}
        />{" "}
        {text.isEmptyCleared}
      </label>
    </div>
  );
}

type ValueChoicesProps = {
  input: FileInput;
  choices: ImportChoices;
  onChange: (choices: ImportChoices) => void;
};

/** What the values of a column become that are none of its fixed list. */
export function ValueChoices({ input: { header, scan, samples }, choices, onChange }: ValueChoicesProps) {
  function change(index: number, value: string, target: string): void {
    const values = new Map(choices.values[index]);
    if (target === "rejected") values.delete(valueKey(value));
    else values.set(valueKey(value), target);
    onChange({ ...choices, values: { ...choices.values, [index]: values } });
  }
  return unknownValues(choices, scan, samples).map(({ index, field, choices: targets, values }) => (
    <div key={index} class="values">
      <p>{text.unknownValues(columnLabel(header, index), labelOf(field))}</p>
      <Table
        name={text.valuesOf(columnLabel(header, index))}
        class="mapping stacking"
        columns={[
          { title: text.value, isHeading: true, cell: (value) => <span class="clamp">{value}</span> },
          {
            title: importing.columns.importedAs,
            cell: (value) => (
              <Select
                aria-label={importing.columns.importedAsOf(value)}
                options={[
                  ["rejected", text.rejected],
                  ...targets.map((target) => [target, formatMember(field, target)] as const),
                  ["", text.empty],
                ]}
                value={targetOf(choices.values[index], value)}
                onChange={(target) => change(index, value, target)}
              />
            ),
          },
        ]}
        rows={values}
      />
    </div>
  ));
}

function targetOf(values: ValueMap | undefined, value: string): string {
  return values?.get(valueKey(value)) ?? "rejected";
}
