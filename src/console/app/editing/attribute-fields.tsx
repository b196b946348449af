import { useState } from "preact/hooks";
import { attributePrefix } from "../../../shared/file-fields.ts";
import { api } from "../api.ts";
import { useRequest } from "../use-request.ts";
import { AttributeRow, type EditedAttribute } from "./attribute-row.tsx";
import { attributeTypeOf } from "./attribute-types.ts";
import type { RowMembers } from "./members.ts";

type Row = EditedAttribute & { key: number };

function rowsOf(members: RowMembers): Row[] {
  const attributes = Object.entries(members).filter(([name]) => name.startsWith(attributePrefix));
  return attributes.map(([name, value], key) => {
    return { key, name: name.slice(attributePrefix.length), type: attributeTypeOf(value), value };
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
        Add attribute
      </button>
    </fieldset>
  );
}
