import type { ValueType } from "../../../../shared/file-fields.ts";
import { Select } from "../../components/select.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { attributeTypeOptions } from "../../editing/members.ts";
import {
  type AttributeTypes,
  attributeNameOf,
  type ColumnMapping,
  type ColumnTypes,
  columnLabel,
  guessType,
  members,
} from "./mapping.ts";

const sampleCount = 3;

type MappingTableProps = {
  header: readonly string[];
  samples: readonly (readonly string[])[];
  columnTypes: ColumnTypes;
  types: AttributeTypes;
  targets: readonly ColumnMapping[];
  onChange: (targets: readonly ColumnMapping[]) => void;
};

/** What each column is imported as. */
export function MappingTable({ header, samples, columnTypes, types, targets, onChange }: MappingTableProps) {
  const change = (index: number, target: ColumnMapping) =>
    onChange(targets.map((other, i) => (i === index ? target : other)));
  const columns: Column<number>[] = [
    { title: "Column", isHeading: true, cell: (i) => columnLabel(header, i) },
    {
      title: "First values",
      class: "muted samples",
      cell: (i) => <span class="clamp">{sampleText(samples, i)}</span>,
    },
    {
      title: "Imported as",
      cell: (i) => (
        <TargetChoice
          column={columnLabel(header, i)}
          target={targets[i]}
          suggestAttribute={() => {
            const attribute = attributeNameOf(columnLabel(header, i), types);
            return { attribute, type: guessType(attribute, columnTypes[i], types) };
          }}
          onChange={(target) => change(i, target)}
        />
      ),
    },
  ];
  return <Table label="Columns, table" class="mapping" columns={columns} rows={[...header.keys()]} />;
}

function sampleText(samples: readonly (readonly string[])[], column: number): string {
  const values = new Set(samples.map((cells) => cells[column] ?? "").filter((text) => text !== ""));
  return [...values].slice(0, sampleCount).join(" · ") || "–";
}

const targetOptions = [
  ["", "Not imported"],
  ...members.map((member) => [member, member] as const),
  ["attribute", "Attribute"],
] as const;

type TargetChoiceProps = {
  column: string;
  target: ColumnMapping;
  suggestAttribute: () => { attribute: string; type: ValueType };
  onChange: (target: ColumnMapping) => void;
};

function TargetChoice({ column, target, suggestAttribute, onChange }: TargetChoiceProps) {
  function choose(value: string): void {
    const member = members.find((candidate) => candidate === value);
    if (member) onChange({ member });
    else onChange(value === "attribute" ? suggestAttribute() : undefined);
  }
  return (
    <div class="target">
      <Select
        aria-label={`${column}: imported as`}
        options={targetOptions}
        value={optionOf(target)}
        onChange={choose}
      />
      {target && "attribute" in target && (
        <>
          <input
            aria-label={`${column}: name of the attribute`}
            value={target.attribute}
            maxLength={64}
            spellcheck={false}
            autocomplete="off"
            onInput={({ currentTarget }) => onChange({ ...target, attribute: currentTarget.value })}
          />
          <Select
            aria-label={`${column}: type of the attribute`}
            options={attributeTypeOptions}
            value={target.type}
            onChange={(type) => onChange({ ...target, type })}
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
