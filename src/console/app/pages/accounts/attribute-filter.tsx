import { useState } from "preact/hooks";
import { Popover } from "../../components/popover.tsx";
import { Select, yesOrNo } from "../../components/select.tsx";
import type { ListedAttribute } from "./columns.tsx";
import {
  type AttributeCondition,
  attributeFiltersOf,
  type Comparison,
  changeFilters,
  maxAttributeFilters,
  operatorNames,
  parameterOf,
  type View,
} from "./view.ts";

const operatorsOf: Readonly<Record<ListedAttribute["type"], readonly Comparison[]>> = {
  string: ["eq", "contains", "in", "gte", "lte", "none"],
  number: ["eq", "gt", "gte", "lt", "lte", "none"],
  boolean: ["eq", "none"],
  date: ["eq", "gte", "lte", "none"],
};

type AttributeFilterFormProps = {
  view: View;
  onChange: (view: View) => void;
  attributes: readonly ListedAttribute[];
};

/** Adds a filter by an attribute: its name, how it is compared, and with what. */
export function AttributeFilterForm({ view, onChange, attributes }: AttributeFilterFormProps) {
  const count = attributeFiltersOf(view).length;
  return (
    <Popover label="Attribute" isActive={count > 0}>
      {(close) =>
        count >= maxAttributeFilters ? (
          <p class="hint">
            A table has at most {maxAttributeFilters} filters by attributes. Remove one first.
          </p>
        ) : (
          <Form
            // A new form after each filter.
            key={count}
            attributes={attributes}
            onAdd={(filter) => {
              onChange(changeFilters(view, Object.fromEntries([parameterOf(filter)])));
              close();
            }}
          />
        )
      }
    </Popover>
  );
}

type FormProps = { attributes: readonly ListedAttribute[]; onAdd: (filter: AttributeCondition) => void };

function Form({ attributes, onAdd }: FormProps) {
  const [name, setName] = useState(attributes[0]?.name ?? "");
  const [operator, setOperator] = useState<Comparison>("eq");
  const [value, setValue] = useState(attributes[0]?.type === "boolean" ? "true" : "");
  const attribute = attributes.find((candidate) => candidate.name === name);
  if (!attribute) return null;
  const { type } = attribute;
  return (
    <form
      class="filter-form"
      onSubmit={(event) => {
        event.preventDefault();
        onAdd({ name, operator, value: operator === "none" ? "" : value });
      }}
    >
      <Select
        label="Attribute"
        options={attributes.map((option) => [option.name, option.label ?? option.name])}
        value={name}
        onChange={(chosen) => {
          setName(chosen);
          setOperator("eq");
          setValue(attributes.find((other) => other.name === chosen)?.type === "boolean" ? "true" : "");
        }}
      />
      <Select
        label="Comparison"
        options={operatorsOf[type].map((option) => [option, operatorNames[option]])}
        value={operator}
        onChange={setOperator}
      />
      {operator !== "none" && (
        <ValueField attribute={attribute} value={value} isList={operator === "in"} onInput={setValue} />
      )}
      <button type="submit" class="primary">
        Add filter
      </button>
    </form>
  );
}

type ValueFieldProps = {
  attribute: ListedAttribute;
  value: string;
  isList: boolean;
  onInput: (value: string) => void;
};

function ValueField({ attribute: { type, values }, value, isList, onInput }: ValueFieldProps) {
  if (type === "boolean")
    return (
      <Select
        label="Value"
        options={yesOrNo}
        value={value === "false" ? "false" : "true"}
        onChange={onInput}
      />
    );
  return (
    <label class="field">
      <span>{isList ? "Values, separated by commas" : "Value"}</span>
      <input
        type={type === "number" ? "number" : "text"}
        step="any"
        required
        list="attribute-values"
        autocomplete="off"
        placeholder={type === "date" ? "2026-12-31, today or 90d" : undefined}
        value={value}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      <datalist id="attribute-values">
        {values.map((frequent) => (
          <option key={String(frequent.value)} value={String(frequent.value)} />
        ))}
      </datalist>
    </label>
  );
}
