import { useId } from "preact/hooks";
import { Select, yesOrNo } from "../../components/select.tsx";
import { accountSelection } from "../../messages/messages.ts";
import type { ListedAttribute } from "./attribute-text.ts";

type AttributeInputProps = {
  attribute: ListedAttribute;
  label: string;
  /** Of the input, unless the attribute is boolean. */
  type: "text" | "number" | "date";
  hint: string | undefined;
  isRequired?: boolean;
  value: string;
  onInput: (value: string) => void;
};

/** The field for a value of an attribute; its frequent values are suggested. */
export function AttributeInput({
  attribute,
  label,
  type,
  hint,
  isRequired = false,
  value,
  onInput,
}: AttributeInputProps) {
  const listId = useId();
  if (attribute.type === "boolean") {
    const noValue = ["", accountSelection.noValue] as const;
    const options = isRequired ? yesOrNo : [noValue, ...yesOrNo];
    return <Select label={label} options={options} value={value} onChange={onInput} />;
  }
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type={type}
        step="any"
        required={isRequired}
        list={listId}
        autocomplete="off"
        value={value}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      {hint !== undefined && <small class="hint">{hint}</small>}
      <datalist id={listId}>
        {attribute.values.map((frequent) => (
          <option key={String(frequent.value)} value={String(frequent.value)} />
        ))}
      </datalist>
    </label>
  );
}
