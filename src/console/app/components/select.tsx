import { components } from "../messages/messages.ts";

export const yesOrNo = [
  ["true", components.yes],
  ["false", components.no],
] as const;

type SelectProps<Value extends string> = {
  label?: string;
  options: readonly (readonly [value: Value, text: string])[];
  value: Value;
  onChange: (value: Value) => void;
  name?: string;
  "aria-label"?: string;
};

/** A field with options, each a value and a text. With a `label`, below it. */
export function Select<Value extends string>({
  label,
  options,
  onChange,
  ...attributes
}: SelectProps<Value>) {
  const select = (
    <select
      {...attributes}
      onChange={({ currentTarget }) => {
        const [chosen] = options[currentTarget.selectedIndex] ?? [];
        if (chosen !== undefined) onChange(chosen);
      }}
    >
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
  if (label === undefined) return select;
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the list of options is in it.
    <label class="field">
      <span>{label}</span>
      {select}
    </label>
  );
}
