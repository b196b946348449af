import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { maxSearchLength } from "../../address.ts";
import { Choices } from "../../components/choices.tsx";
import { Popover } from "../../components/popover.tsx";
import { type Tier, TierMark } from "../../components/values.tsx";
import { accountFilters as text } from "../../messages/messages.ts";
import { setQuery } from "../../router.ts";
import { ageOf, type Filter, numberOf, rangeFault } from "./filters.ts";
import type { View } from "./view.ts";

type FilterProps = { filter: Filter; view: View };

/** The box of a filter, by its kind. */
export function FieldFilter({ filter, view }: FilterProps) {
  const { kind, label, parameters } = filter;
  const values = parameters.map((name) => view.filters[name]);
  return (
    <Popover label={label} isActive={values.some((value) => value !== undefined)}>
      {(close) =>
        kind === "choice" ? (
          <Choices
            legend={label}
            options={filter.options.map(([value, name]) => [value, optionOf(filter, value, name)])}
            chosen={values[0]?.split(",") ?? []}
            onChange={(chosen) => setQuery({ [parameters[0] ?? ""]: chosen.join(",") || undefined })}
          />
        ) : (
          // With other values the form is a new one; the button, which has the focus, stays.
          <FilterForm key={values.join(" ")} {...{ filter, view, close }} />
        )
      }
    </Popover>
  );
}

/** Tiers have their marks. */
function optionOf({ field }: Filter, value: string, name: string): ComponentChildren {
  if (field !== "tier") return name;
  return (
    <>
      {/* Safe: the values of the filter are tiers. */}
      <TierMark tier={value === "none" ? null : (value as Tier)} /> {name}
    </>
  );
}

const inputsOf = { range: RangeInputs, age: AgeInputs, text: TextInput };
type InputsProps = { filter: Filter; values: readonly (string | undefined)[]; hasFault: boolean };

/** A form that takes effect and closes the box when it is submitted. */
function FilterForm({ filter, view, close }: FilterProps & { close: () => void }) {
  const { kind, parameters } = filter;
  const [fault, setFault] = useState(() => rangeFault(filter, view.filters));
  function submit(event: SubmitEvent & { currentTarget: HTMLFormElement }): void {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const changes = Object.fromEntries(
      parameters.map((name) => [name, form.getAll(name).map(String).join("-") || undefined]),
    );
    const found = kind === "range" ? rangeFault(filter, changes) : undefined;
    setFault(found);
    if (found !== undefined) return;
    setQuery(changes);
    close();
  }
  if (kind === "choice") return null;
  const Inputs = inputsOf[kind];
  return (
    <form class="filter-form" onSubmit={submit}>
      <Inputs
        filter={filter}
        values={parameters.map((name) => view.filters[name])}
        hasFault={fault !== undefined}
      />
      {fault !== undefined && (
        <p class="field-problem" role="alert">
          {fault}
        </p>
      )}
      <button type="submit" class="primary">
        {text.apply}
      </button>
    </form>
  );
}

function RangeInputs({ filter: { label, parameters }, values, hasFault }: InputsProps) {
  return (
    <div class="fields pair">
      {parameters.map((name, i) => (
        <label key={name} class="field">
          <span>{i === 0 ? text.from(label) : text.to(label)}</span>
          <input
            {...(hasFault && { "aria-invalid": true })}
            type="number"
            step="any"
            name={name}
            defaultValue={numberOf(values[i])}
          />
        </label>
      ))}
    </div>
  );
}

function TextInput({ filter: { label, parameters }, values }: InputsProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <input type="text" name={parameters[0]} maxLength={maxSearchLength} defaultValue={values[0]} />
    </label>
  );
}

const defaultDays = 30;
const ages = ["", "within", "over", "never"] as const;

/** Such as "Within the last [30] days". Any time and never have no days. */
function AgeInputs({ filter: { label, isNullable, parameters }, values: [value] }: InputsProps) {
  const [chosen, setChosen] = useState(ageOf(value)?.kind ?? value ?? "");
  const textOf = (kind: (typeof ages)[number]) => {
    if (kind === "") return text.ages.anyTime;
    if (kind === "never") return text.ages.never;
    const [before, after] = text[kind];
    return (
      <>
        {before}
        <input
          type="number"
          aria-label={text.days}
          // The number is sent with its radio button.
          name={kind === chosen ? parameters[0] : ""}
          min={1}
          max={3650}
          step={1}
          required={kind === chosen}
          defaultValue={ageOf(value)?.days ?? defaultDays}
          onFocus={() => setChosen(kind)}
        />
        {after}
      </>
    );
  };
  return (
    <fieldset class="checks">
      <legend>{label}</legend>
      {ages
        .filter((kind) => isNullable || kind !== "never")
        .map((kind) => (
          <label key={kind}>
            <input
              type="radio"
              name={parameters[0]}
              value={kind}
              checked={kind === chosen}
              onChange={() => setChosen(kind)}
            />
            {textOf(kind)}
          </label>
        ))}
    </fieldset>
  );
}
