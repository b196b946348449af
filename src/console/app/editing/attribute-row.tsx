import { useEffect, useRef } from "preact/hooks";
import { attributePrefix, type ValueType } from "../../../shared/file-fields.ts";
import { Select, yesOrNo } from "../components/select.tsx";
import { attributeTypeOptions } from "./attribute-types.ts";
import { useFieldProblem } from "./form-field.tsx";
import type { MemberValue } from "./members.ts";

export type EditedAttribute = { name: string; type: ValueType; value: MemberValue };

/** The inputs of an attribute: its name, its type and its value. */
export function AttributeRow({
  row,
  number,
  isDuplicate,
  onRename,
  onChange,
  onRemove,
}: {
  row: EditedAttribute;
  /** From 1. */
  number: number;
  isDuplicate: boolean;
  onRename: (name: string) => void;
  onChange: (changes: Partial<EditedAttribute>) => void;
  onRemove: () => void;
}) {
  const { attributes, problem } = useFieldProblem(attributePrefix + row.name);
  return (
    <>
      <div class="attribute">
        <NameInput
          label={`Name of attribute ${number}`}
          name={row.name}
          isDuplicate={isDuplicate}
          onChange={onRename}
        />
        <Select
          name="attribute-type"
          aria-label={`Type of attribute ${number}`}
          options={attributeTypeOptions}
          value={row.type}
          onChange={(type) => onChange({ type })}
        />
        <ValueInput
          label={`Value of attribute ${number}`}
          row={row}
          problem={attributes}
          onChange={(value) => onChange({ value })}
        />
        <button type="button" class="quiet" aria-label={`Remove attribute ${number}`} onClick={onRemove}>
          ×
        </button>
      </div>
      {problem}
    </>
  );
}

function NameInput({
  label,
  name,
  isDuplicate,
  onChange,
}: {
  label: string;
  name: string;
  isDuplicate: boolean;
  onChange: (name: string) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.setCustomValidity(isDuplicate ? "Another attribute has this name." : ""));
  useEffect(() => {
    if (name === "") input.current?.focus();
  }, []);
  return (
    <input
      ref={input}
      type="text"
      name="attribute-name"
      aria-label={label}
      placeholder="Name"
      required
      pattern="[A-Za-z][A-Za-z0-9_]{0,63}"
      title="1 to 64 letters, digits and underscores, beginning with a letter"
      list="attribute-names"
      autocomplete="off"
      value={name}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function ValueInput({
  label,
  row,
  problem,
  onChange,
}: {
  label: string;
  row: EditedAttribute;
  /** The attributes of an input with a problem. */
  problem: object;
  onChange: (value: MemberValue) => void;
}) {
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
  const text = {
    ...common,
    placeholder: "Value",
    value: String(row.value ?? ""),
    onInput: (event: InputEvent & { currentTarget: HTMLInputElement }) => onChange(event.currentTarget.value),
  };
  if (row.type === "number") return <input {...text} type="number" step="any" required />;
  return <input {...text} type="text" autocomplete="off" />;
}
