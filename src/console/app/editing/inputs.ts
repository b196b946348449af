import type { ResourceField } from "../../../shared/fields/field.ts";
import { fieldsOf, type ResourceName } from "../../../shared/resources.ts";
import type { Field } from "./form-values.ts";
import type { MemberValue } from "./members.ts";

/** The inputs for a row of a resource: the name of the row, its external id, then the other fields. */
export function inputsOf(resource: ResourceName, { isNew = false } = {}): Field[] {
  const inputs = Object.entries(fieldsOf(resource)).flatMap(([name, field]) => {
    const { create, ...input } = field.input ?? { create: false };
    const isLeftOut = field.kind === "attributes" || field.isInForms === false || (isNew && create === false);
    if (!field.input || isLeftOut) return [];
    return inputOf(name, { ...field, ...input, ...(isNew && create) });
  });
  const isExternalId = ({ name }: Field) => name === "externalId";
  const [first, ...others] = inputs.filter((input) => !isExternalId(input));
  return [...(first ? [first] : []), ...inputs.filter(isExternalId), ...others];
}

function inputOf(name: string, field: ResourceField & { isRequired?: boolean }): Field {
  const { kind, isNullable, isRequired, values, valueLabels, hint } = field;
  const options = optionsOf(values ?? Object.keys(valueLabels ?? {}).map(Number), valueLabels);
  const isChoice = kind === "choice" || options.length > 0;
  return {
    name,
    kind: isChoice ? "choice" : kindOf(field),
    ...(hint !== undefined && { hint }),
    isRequired: isRequired ?? (isNullable || isChoice ? false : "stored"),
    ...(isChoice && { options }),
  };
}

function kindOf({ kind, format }: ResourceField): Field["kind"] {
  if (kind === "timestamp") return "time";
  if (kind === "number" || kind === "integer") return "number";
  return format === "uri" ? "url" : (format ?? "text");
}

function optionsOf(
  values: readonly (string | number)[],
  labels: ResourceField["valueLabels"],
): (readonly [string | number, string])[] {
  return values.map((value) => [value, labels?.[value] ?? String(value)]);
}

/** The values in the form of a new row. */
export function initialOf(resource: ResourceName): Readonly<Record<string, MemberValue>> {
  const initial = Object.entries(fieldsOf(resource)).flatMap(([name, field]) =>
    field.default === undefined ? [] : [[name, field.default] as const],
  );
  return Object.fromEntries(initial);
}

/** Whether rows of the resource have attributes. */
export function hasAttributes(resource: ResourceName): boolean {
  return "attributes" in fieldsOf(resource);
}
