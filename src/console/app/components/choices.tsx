import type { ComponentChildren } from "preact";

type ChoicesProps<Value extends string> = {
  legend: string;
  options: readonly (readonly [value: Value, title: ComponentChildren])[];
  chosen: readonly Value[];
  onChange: (chosen: Value[]) => void;
  class?: string;
  /** What prevents the form from being sent. */
  fault?: string;
};

/** Check boxes. Each change takes effect at once. */
export function Choices<Value extends string>({
  legend,
  options,
  chosen,
  onChange,
  class: name = "checks",
  fault = "",
}: ChoicesProps<Value>) {
  return (
    <fieldset class={name}>
      <legend>{legend}</legend>
      {options.map(([value, title], i) => (
        <label key={value}>
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            ref={(input) => input?.setCustomValidity(i === 0 ? fault : "")}
            onChange={({ currentTarget }) =>
              onChange(currentTarget.checked ? [...chosen, value] : chosen.filter((other) => other !== value))
            }
          />
          <span>{title}</span>
        </label>
      ))}
    </fieldset>
  );
}
