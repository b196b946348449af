import { type ValueType, valueTypeOf } from "../../../../shared/file-fields.ts";
import type { ImportTable } from "../../../../shared/imports/import-table.ts";
import { Select } from "../../components/select.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { attributeTypeOptions, labelOf } from "../../editing/members.ts";
import { fields, importing } from "../../messages/messages.ts";
import { attributeNameOf, type ColumnMapping, columnLabel, members } from "./mapping.ts";
import type { FileInput } from "./table.ts";

const text = importing.columns;
const sampleCount = 3;

type MappingTableProps = {
  input: FileInput;
  /** The types of the columns that are imported. */
  table: ImportTable;
  targets: readonly ColumnMapping[];
  onChange: (targets: readonly ColumnMapping[]) => void;
};

/** What each column is imported as. */
export function MappingTable({ input, table, targets, onChange }: MappingTableProps) {
  const { header, samples, attributeTypes } = input;
  const change = (index: number, target: ColumnMapping) =>
    onChange(targets.map((other, i) => (i === index ? target : other)));
  const columns: Column<number>[] = [
    { title: text.column, isHeading: true, cell: (i) => columnLabel(header, i) },
    {
      title: text.firstValues,
      class: "muted samples",
      cell: (i) => <span class="clamp">{sampleText(samples, i)}</span>,
    },
    {
      title: text.importedAs,
      cell: (i) => (
        <TargetChoice
          column={columnLabel(header, i)}
          target={targets[i]}
          type={valueTypeOf(table.columns.find(({ index }) => index === i)?.type ?? "string")}
          suggestAttribute={() => ({ attribute: attributeNameOf(columnLabel(header, i), attributeTypes) })}
          onChange={(target) => change(i, target)}
        />
      ),
    },
  ];
  return <Table name={text.title} class="mapping stacking" columns={columns} rows={[...header.keys()]} />;
}

function sampleText(samples: readonly (readonly string[])[], column: number): string {
  const values = new Set(samples.map((cells) => cells[column] ?? "").filter((text) => text !== ""));
  return [...values].slice(0, sampleCount).join(" · ") || "–";
}

const targetOptions = [
  ["", text.notImported],
  ...members.map((member) => [member, labelOf(member)] as const),
  ["attribute", fields.attribute],
] as const;

type TargetChoiceProps = {
  column: string;
  target: ColumnMapping;
  type: ValueType;
  suggestAttribute: () => ColumnMapping;
  onChange: (target: ColumnMapping) => void;
};

function TargetChoice({ column, target, type, suggestAttribute, onChange }: TargetChoiceProps) {
  function choose(value: string): void {
    const member = members.find((candidate) => candidate === value);
    if (member) onChange({ member });
    else onChange(value === "attribute" ? suggestAttribute() : undefined);
  }
  return (
    <div class="target">
      <Select
        aria-label={text.importedAsOf(column)}
        options={targetOptions}
        value={optionOf(target)}
        onChange={choose}
      />
      {target && "attribute" in target && (
        <>
          <input
            aria-label={text.attributeNameOf(column)}
            value={target.attribute}
            maxLength={64}
            spellcheck={false}
            autocomplete="off"
            onInput={({ currentTarget }) => onChange({ ...target, attribute: currentTarget.value })}
          />
          <Select
            aria-label={text.attributeTypeOf(column)}
            options={attributeTypeOptions}
            value={type}
            onChange={(chosen) => onChange({ ...target, type: chosen })}
          />
        </>
      )}
    </div>
  );
}

function optionOf(target: ColumnMapping): string {
  if (!target) return "";
  return "member" in target ? target.member : "attribute";
}
