import { useState } from "preact/hooks";
import { attributePrefix } from "../../../../shared/file-fields.ts";
import { DialogForm } from "../../components/dialog.tsx";
import { Select } from "../../components/select.tsx";
import { ReaderError } from "../../editing/form-problem.ts";
import type { MemberValue, RowMembers } from "../../editing/members.ts";
import { fields, accountSelection as text } from "../../messages/messages.ts";
import { AttributeInput } from "./attribute-input.tsx";
import { type ListedAttribute, labelOfAttribute } from "./attribute-text.ts";
import { statuses } from "./filters.ts";

const { labels } = fields;
const unchanged = ["", text.unchanged] as const;

/** The value of a field; null for an empty one. */
function attributeValueOf(value: string, type: ListedAttribute["type"]): MemberValue {
  if (value === "") return null;
  if (type === "number") return Number(value);
  return type === "boolean" ? value === "true" : value;
}

type BulkFormProps = {
  attributes: readonly ListedAttribute[];
  onSubmit: (members: RowMembers) => void;
};

/** The values that selected accounts get: a status, and one attribute. */
export function BulkForm({ attributes, onSubmit }: BulkFormProps) {
  const [status, setStatus] = useState("");
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  const attribute = attributes.find((candidate) => candidate.name === name);
  async function submit(): Promise<void> {
    if (status === "" && !attribute) throw new ReaderError(text.nothingChosen);
    onSubmit({
      ...(status !== "" && { status }),
      ...(attribute && { [attributePrefix + name]: attributeValueOf(value.trim(), attribute.type) }),
    });
  }
  return (
    <DialogForm submitLabel={text.review} onSubmit={submit}>
      <Select label={labels.status} options={[unchanged, ...statuses]} value={status} onChange={setStatus} />
      {attributes.length > 0 && (
        <Select
          label={fields.attribute}
          options={[
            unchanged,
            ...attributes.map((one) => [one.name, labelOfAttribute(one.name, one.label)] as const),
          ]}
          value={name}
          onChange={(chosen) => {
            setName(chosen);
            setValue("");
          }}
        />
      )}
      {attribute && (
        <AttributeInput
          attribute={attribute}
          label={fields.value}
          type={attribute.type === "number" || attribute.type === "date" ? attribute.type : "text"}
          hint={text.valueHint}
          value={value}
          onInput={setValue}
        />
      )}
    </DialogForm>
  );
}
