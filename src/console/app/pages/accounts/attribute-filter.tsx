import { useState } from "preact/hooks";
import { Popover } from "../../components/popover.tsx";
import { Select } from "../../components/select.tsx";
import { fields, accountFilters as text } from "../../messages/messages.ts";
import { setQuery } from "../../router.ts";
import { AttributeInput } from "./attribute-input.tsx";
import {
  type AttributeCondition,
  type Comparison,
  type ListedAttribute,
  labelOfAttribute,
  operatorText,
} from "./attribute-text.ts";
import { attributeFiltersOf, maxAttributeFilters, parameterOf, type View } from "./view.ts";

const operatorsOf: Readonly<Record<ListedAttribute["type"], readonly Comparison[]>> = {
  string: ["eq", "contains", "in", "gte", "lte", "none"],
  number: ["eq", "gt", "gte", "lt", "lte", "none"],
  boolean: ["eq", "none"],
  date: ["eq", "gte", "lte", "none"],
};

type AttributeFilterFormProps = { view: View; attributes: readonly ListedAttribute[] };

/** Adds a filter by an attribute: its name, how it is compared, and with what. */
export function AttributeFilterForm({ view, attributes }: AttributeFilterFormProps) {
  const count = attributeFiltersOf(view).length;
  return (
    <Popover label={fields.attribute} isActive={count > 0}>
      {(close) =>
        count >= maxAttributeFilters ? (
          <p class="hint">{text.tooManyAttributes(maxAttributeFilters)}</p>
        ) : (
          <Form
            // A new form after each filter.
            key={count}
            attributes={attributes}
            onAdd={(filter) => {
              setQuery(Object.fromEntries([parameterOf(filter)]));
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
        label={fields.attribute}
        options={attributes.map((option) => [option.name, labelOfAttribute(option.name, option.label)])}
        value={name}
        onChange={(chosen) => {
          setName(chosen);
          setOperator("eq");
          setValue(attributes.find((other) => other.name === chosen)?.type === "boolean" ? "true" : "");
        }}
      />
      <Select
        label={text.comparison}
        options={operatorsOf[type].map((option) => [option, operatorText(option, type)])}
        value={operator}
        onChange={setOperator}
      />
      {operator !== "none" && (
        <AttributeInput
          attribute={attribute}
          label={operator === "in" ? text.values : fields.value}
          // A date may also be a distance from today.
          type={type === "number" ? "number" : "text"}
          hint={type === "date" ? text.dateHint : undefined}
          isRequired
          value={value}
          onInput={setValue}
        />
      )}
      <button type="submit" class="primary">
        {text.add}
      </button>
    </form>
  );
}
