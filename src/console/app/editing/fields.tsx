import type { Field } from "./form-values.ts";
import { textOf } from "./form-values.ts";
import type { RowMembers } from "./members.ts";

/** The inputs of a form. The first one gets the focus. */
export function Fields({ fields, members }: { fields: readonly Field[]; members: RowMembers }) {
  return (
    <div class="fields">
      {fields.map((field, i) => (
        <div class="field" key={field.name}>
          <label htmlFor={`field-${field.name}`}>{field.label}</label>
          <Input field={field} text={textOf(field, members[field.name])} isFirst={i === 0} />
          {field.hint !== undefined && <small class="hint">{field.hint}</small>}
        </div>
      ))}
    </div>
  );
}

function focus(element: HTMLElement | null): void {
  element?.focus();
}

function Input({ field, text, isFirst }: { field: Field; text: string; isFirst: boolean }) {
  const { kind, name, isRequired = false, options = [] } = field;
  const common = {
    id: `field-${name}`,
    name,
    required: isRequired,
    ...(isFirst && { ref: focus, autofocus: true }),
  };
  if (kind === "choice")
    return (
      <select {...common}>
        {options.map(([value, label]) => (
          <option key={value} value={value} selected={String(value) === text}>
            {label}
          </option>
        ))}
      </select>
    );
  if (kind === "number") return <input {...common} type="number" step="any" defaultValue={text} />;
  if (kind === "time") return <input {...common} type="datetime-local" defaultValue={text} />;
  // Not type=email: it changes an international domain name to its ASCII form.
  return <input {...common} type="text" inputMode={kind} autocomplete="off" defaultValue={text} />;
}
