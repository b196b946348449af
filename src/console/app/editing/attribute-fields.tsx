import { useEffect, useRef, useState } from "preact/hooks";
import { api } from "../api.ts";
import { useRequest } from "../use-request.ts";
import { attributePrefix, type MemberValue, type RowMembers } from "./members.ts";

type Type = "string" | "number" | "boolean";
type Row = { key: number; name: string; type: Type; value: MemberValue };

const types: readonly (readonly [Type, string])[] = [
  ["string", "Text"],
  ["number", "Number"],
  ["boolean", "Yes or no"],
];

function typeOf(value: MemberValue): Type {
  if (typeof value === "number") return "number";
  return typeof value === "boolean" ? "boolean" : "string";
}

function rowsOf(members: RowMembers): Row[] {
  const attributes = Object.entries(members).filter(([name]) => name.startsWith(attributePrefix));
  return attributes.map(([name, value], key) => {
    return { key, name: name.slice(attributePrefix.length), type: typeOf(value), value };
  });
}

/** The attributes of a row as inputs: one without its row is removed. Names that other rows have are suggested. */
export function AttributeFields({
  members,
  resource,
}: {
  members: RowMembers;
  resource: "accounts" | "contacts";
}) {
  const [rows, setRows] = useState(() => rowsOf(members));
  const suggested = useRequest(
    (signal) => api.GET("/api/v1/attributes", { params: { query: { resource } }, signal }),
    [resource],
  ).data?.data.data;

  function change(key: number, changes: Partial<Row>): void {
    setRows(rows.map((row) => (row.key === key ? { ...row, ...changes } : row)));
  }
  function rename(key: number, name: string): void {
    const type = suggested?.find((attribute) => attribute.name === name)?.type;
    change(key, { name, ...(type && { type }) });
  }
  function add(): void {
    const key = Math.max(-1, ...rows.map((row) => row.key)) + 1;
    setRows([...rows, { key, name: "", type: "string", value: "" }]);
  }

  return (
    <fieldset class="attribute-fields">
      <legend>Attributes</legend>
      <datalist id="attribute-names">
        {suggested?.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {rows.map((row, i) => (
        <div class="attribute" key={row.key}>
          <NameInput
            label={`Name of attribute ${i + 1}`}
            name={row.name}
            isDuplicate={rows.some(({ key, name }) => key !== row.key && name === row.name)}
            onChange={(name) => rename(row.key, name)}
          />
          <select
            name="attribute-type"
            aria-label={`Type of attribute ${i + 1}`}
            value={row.type}
            onChange={({ currentTarget }) =>
              change(row.key, { type: types[currentTarget.selectedIndex]?.[0] ?? "string" })
            }
          >
            {types.map(([type, label]) => (
              <option key={type} value={type}>
                {label}
              </option>
            ))}
          </select>
          <ValueInput
            label={`Value of attribute ${i + 1}`}
            row={row}
            onChange={(value) => change(row.key, { value })}
          />
          <button
            type="button"
            class="quiet"
            aria-label={`Remove attribute ${i + 1}`}
            onClick={() => setRows(rows.filter(({ key }) => key !== row.key))}
          >
            ×
          </button>
        </div>
      ))}
      <button type="button" class="add" onClick={add}>
        Add attribute
      </button>
    </fieldset>
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
  onChange,
}: {
  label: string;
  row: Row;
  onChange: (value: MemberValue) => void;
}) {
  const common = { name: "attribute-value", "aria-label": label };
  if (row.type === "boolean")
    return (
      <select
        {...common}
        value={String(row.value === true || row.value === "true")}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        <option value="true">Yes</option>
        <option value="false">No</option>
      </select>
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
