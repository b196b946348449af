import { timeZoneName } from "../format.ts";
import { FormField, type InputAttributes } from "./form-field.tsx";
import type { Field } from "./form-values.ts";
import { textOf } from "./form-values.ts";
import type { RowMembers } from "./members.ts";

/** The inputs of a form. The first one gets the focus unless `hasFocus` is false. */
export function Fields({
  fields,
  members,
  hasFocus = true,
}: {
  fields: readonly Field[];
  members: RowMembers;
  hasFocus?: boolean;
}) {
  return (
    <>
      <div class="fields">
        {fields.map((field, i) => (
          <FormField key={field.name} name={field.name} hint={field.hint}>
            {(input) => (
              <Input
                field={field}
                input={input}
                text={textOf(field, members[field.name])}
                isFirst={hasFocus && i === 0}
              />
            )}
          </FormField>
        ))}
      </div>
      {fields.some(({ kind }) => kind === "time") && (
        <p class="hint">Times are in the time zone of the browser: {timeZoneName()}.</p>
      )}
    </>
  );
}

function focus(element: HTMLElement | null): void {
  element?.focus();
}

function Input({
  field: { kind, isRequired = false, options = [] },
  input,
  text,
  isFirst,
}: {
  field: Field;
  input: InputAttributes;
  text: string;
  isFirst: boolean;
}) {
  const common = {
    ...input,
    required: isRequired === true || (isRequired === "stored" && text !== ""),
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
