import { useEffect, useRef, useState } from "preact/hooks";
import {
  attributeNamePattern,
  attributePrefix,
  type ValueType,
  valueTypeOf,
} from "../../../shared/file-fields.ts";
import { readAttributes } from "../attributes.ts";
import { Select, yesOrNo } from "../components/select.tsx";
import { editing, fields } from "../messages/messages.ts";
import { useRequest } from "../use-request.ts";
import { useFieldProblem } from "./form-field.tsx";
import { attributeTypeOf, attributeTypeOptions, type MemberValue, type RowMembers } from "./members.ts";

const text = editing.attributes;

type EditedAttribute = { name: string; type: ValueType; value: MemberValue };

type AttributeRowProps = {
  row: EditedAttribute;
  /** From 1. */
  number: number;
  isDuplicate: boolean;
  onRename: (name: string) => void;
  onChange: (changes: Partial<EditedAttribute>) => void;
  onRemove: () => void;
};

/** The inputs of an attribute: its name, its type and its value. */
function AttributeRow({ row, number, isDuplicate, onRename, onChange, onRemove }: AttributeRowProps) {
  const { attributes, problem } = useFieldProblem(attributePrefix + row.name);
  const name = useRef<HTMLInputElement>(null);
  useEffect(() => name.current?.setCustomValidity(isDuplicate ? text.duplicate : ""));
  useEffect(() => {
    if (row.name === "") name.current?.focus();
  }, []);
  return (
    <>
      <div class="attribute">
        <input
          ref={name}
          type="text"
          name="attribute-name"
          aria-label={text.nameOf(number)}
          placeholder={fields.labels.name}
          required
          pattern={attributeNamePattern}
          title={text.rule}
          list="attribute-names"
          autocomplete="off"
          value={row.name}
          onInput={(event) => onRename(event.currentTarget.value)}
        />
        <Select
          name="attribute-type"
          aria-label={text.typeOf(number)}
          options={attributeTypeOptions}
          value={row.type}
          onChange={(type) => onChange({ type })}
        />
        <ValueInput
          label={text.valueOf(number)}
          row={row}
          problem={attributes}
          onChange={(value) => onChange({ value })}
        />
        <button type="button" class="quiet" aria-label={text.remove(number)} onClick={onRemove}>
          ×
        </button>
      </div>
      {problem}
    </>
  );
}

type ValueInputProps = {
  label: string;
  row: EditedAttribute;
  problem: object;
  onChange: (value: MemberValue) => void;
};

function ValueInput({ label, row, problem, onChange }: ValueInputProps) {
  const common = { name: "attribute-value", "aria-label": label, ...problem };
  if (row.type === "boolean")
    return (
      <Select
        {...common}
        options={yesOrNo}
        value={row.value === true || row.value === "true" ? "true" : "false"}
        onChange={onChange}
      />
    );
  const input = {
    ...common,
    placeholder: fields.value,
    value: String(row.value ?? ""),
    onInput: (event: InputEvent & { currentTarget: HTMLInputElement }) => onChange(event.currentTarget.value),
  };
  if (row.type === "number") return <input {...input} type="number" step="any" required />;
  return <input {...input} type="text" autocomplete="off" />;
}

type Row = EditedAttribute & { key: number };

function rowsOf(members: RowMembers): Row[] {
  const attributes = Object.entries(members).filter(([name]) => name.startsWith(attributePrefix));
  return attributes.map(([name, value], key) => {
    return { key, name: name.slice(attributePrefix.length), type: attributeTypeOf(value), value };
  });
}

const newRow = { name: "", type: "string", value: "" } as const;

type AttributeFieldsProps = {
  members: RowMembers;
  resource: "accounts" | "contacts";
  /** Whether the form has no other inputs: then it begins with a row, and the first value has the focus. */
  isWhole: boolean;
};

/** The attributes of a row as inputs: one without its row is removed. Names that other rows have are suggested. */
export function AttributeFields({ members, resource, isWhole }: AttributeFieldsProps) {
  const [rows, setRows] = useState(() => {
    const stored = rowsOf(members);
    return isWhole && stored.length === 0 ? [{ key: 0, ...newRow }] : stored;
  });
  const fieldset = useRef<HTMLFieldSetElement>(null);
  useEffect(() => {
    const name = rows[0]?.name === "" ? "attribute-name" : "attribute-value";
    if (isWhole) fieldset.current?.querySelector<HTMLElement>(`[name=${name}]`)?.focus();
  }, []);
  const suggested = useRequest((signal) => readAttributes(resource, signal), [resource]).data;

  function change(key: number, changes: Partial<Row>): void {
    setRows(rows.map((row) => (row.key === key ? { ...row, ...changes } : row)));
  }
  function rename(key: number, name: string): void {
    const type = suggested?.find((attribute) => attribute.name === name)?.type;
    change(key, { name, ...(type && { type: valueTypeOf(type) }) });
  }
  function add(): void {
    const key = Math.max(-1, ...rows.map((row) => row.key)) + 1;
    setRows([...rows, { key, ...newRow }]);
  }

  return (
    <fieldset ref={fieldset} class="attribute-fields">
      <legend>{fields.attributes}</legend>
      <datalist id="attribute-names">
        {suggested?.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {rows.map((row, i) => (
        <AttributeRow
          key={row.key}
          row={row}
          number={i + 1}
          isDuplicate={rows.some(({ key, name }) => key !== row.key && name === row.name)}
          onRename={(name) => rename(row.key, name)}
          onChange={(changes) => change(row.key, changes)}
          onRemove={() => setRows(rows.filter(({ key }) => key !== row.key))}
        />
      ))}
      <button type="button" class="add" onClick={add}>
        {text.add}
      </button>
    </fieldset>
  );
}
