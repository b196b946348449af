import { useState } from "preact/hooks";
import { attributePrefix } from "../../../../shared/file-fields.ts";
import { DialogForm } from "../../components/dialog.tsx";
import { Select, yesOrNo } from "../../components/select.tsx";
import type { MemberValue, RowMembers } from "../../editing/members.ts";
import { messages } from "../../messages/messages.ts";
import { type ListedAttribute, labelOfAttribute } from "./attribute-text.ts";
import { statuses } from "./filters.ts";

const text = messages.accountSelection;
const { labels } = messages.fields;
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
  const [isEmpty, setIsEmpty] = useState(false);
  const attribute = attributes.find((candidate) => candidate.name === name);
  async function submit(): Promise<void> {
    setIsEmpty(status === "" && !attribute);
    if (status === "" && !attribute) return;
    onSubmit({
      ...(status !== "" && { status }),
      ...(attribute && { [attributePrefix + name]: attributeValueOf(value.trim(), attribute.type) }),
    });
  }
  return (
    <DialogForm submitLabel={text.review} onSubmit={submit}>
      {isEmpty && (
        <p class="field-problem" role="alert">
          {text.nothingChosen}
        </p>
      )}
      <Select label={labels.status} options={[unchanged, ...statuses]} value={status} onChange={setStatus} />
      {attributes.length > 0 && (
        <Select
          label={text.attribute}
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
      {attribute && <AttributeValue attribute={attribute} value={value} onInput={setValue} />}
    </DialogForm>
  );
}

type AttributeValueProps = { attribute: ListedAttribute; value: string; onInput: (value: string) => void };

function AttributeValue({ attribute: { type, values }, value, onInput }: AttributeValueProps) {
  if (type === "boolean")
    return (
      <Select
        label={text.value}
        options={[["", text.noValue], ...yesOrNo]}
        value={value}
        onChange={onInput}
      />
    );
  return (
    <label class="field">
      <span>{text.value}</span>
      <input
        type={type === "string" ? "text" : type}
        step="any"
        list="bulk-values"
        autocomplete="off"
        value={value}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      <small class="hint">{text.valueHint}</small>
      <datalist id="bulk-values">
        {values.map((frequent) => (
          <option key={String(frequent.value)} value={String(frequent.value)} />
        ))}
      </datalist>
    </label>
  );
}
