import type { ResourceField } from "../../../shared/fields/field.ts";
import { attributePrefix } from "../../../shared/file-fields.ts";
import { fieldsOf, type ResourceName } from "../../../shared/resources.ts";
import { fields as fieldTexts } from "../messages/messages.ts";
import { type MemberValue, type RowMembers, valueLabelsOf } from "./members.ts";

/** An input of a form for one member. */
export type Field = {
  name: string;
  /** Default: the label of the member. */
  label?: string;
  kind: "text" | "email" | "url" | "number" | "time" | "choice";
  hint?: string;
  /** `stored`: a stored value cannot be removed. */
  isRequired?: boolean | "stored";
  /** Of a choice: values and their texts. */
  options?: readonly (readonly [string | number, string])[];
};

/** The local time of a timestamp, as `datetime-local` has it. */
export function localTimeOf(timestamp: string): string {
  const date = new Date(timestamp);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

export function textOf({ kind }: Pick<Field, "kind">, value: MemberValue | undefined): string {
  if (value === undefined || value === null) return "";
  return kind === "time" ? localTimeOf(String(value)) : String(value);
}

/**
 * `base` with the values of a form. A text that was not edited keeps its stored value, because an input has no line
 * breaks, no seconds and no milliseconds.
 */
export function readFields(fields: readonly Field[], form: FormData, base: RowMembers): RowMembers {
  const members: Record<string, MemberValue> = { ...base };
  for (const field of fields) {
    const text = String(form.get(field.name) ?? "");
    const isSame = text === withoutLineBreaks(textOf(field, base[field.name]));
    if (!isSame) members[field.name] = parseText(field, text);
  }
  return members;
}

/** `base` with the attributes of a form, whose rows have an input each for the name, the type and the value. */
export function readAttributes(form: FormData, base: RowMembers): RowMembers {
  const others = Object.entries(base).filter(([name]) => !name.startsWith(attributePrefix));
  const members: Record<string, MemberValue> = Object.fromEntries(others);
  const types = form.getAll("attribute-type");
  const texts = form.getAll("attribute-value");
  for (const [i, name] of form.getAll("attribute-name").entries()) {
    const key = attributePrefix + String(name);
    const text = String(texts[i] ?? "");
    const before = base[key];
    if (types[i] === "number") members[key] = Number(text);
    else if (types[i] === "boolean") members[key] = text === "true";
    else members[key] = typeof before === "string" && withoutLineBreaks(before) === text ? before : text;
  }
  return members;
}

function parseText({ kind, options }: Field, text: string): MemberValue {
  if (kind === "choice") return options?.find(([value]) => String(value) === text)?.[0] ?? null;
  if (text === "") return null;
  if (kind === "number") return Number(text);
  return kind === "time" ? new Date(text).toISOString() : text;
}

function withoutLineBreaks(text: string): string {
  return text.replace(/[\r\n]/g, "");
}

const hints: Partial<Record<ResourceName, Readonly<Record<string, string>>>> = fieldTexts.hints;

/** The inputs for a row of a resource: the name of the row, its external id, then the other fields. */
export function inputsOf(resource: ResourceName, { isNew = false } = {}): Field[] {
  const inputs = Object.entries(fieldsOf(resource)).flatMap(([name, field]) => {
    const { create, ...input } = field.input ?? { create: false };
    const isLeftOut = field.kind === "attributes" || field.isInForms === false || (isNew && create === false);
    if (!field.input || isLeftOut) return [];
    const hint = hints[resource]?.[name];
    return {
      ...inputOf(name, { ...field, ...input, ...(isNew && create) }),
      ...(hint !== undefined && { hint }),
    };
  });
  const isExternalId = ({ name }: Field) => name === "externalId";
  const [first, ...others] = inputs.filter((input) => !isExternalId(input));
  return [...(first ? [first] : []), ...inputs.filter(isExternalId), ...others];
}

function inputOf(name: string, field: ResourceField & { isRequired?: boolean }): Field {
  const { kind, isNullable, isRequired, values } = field;
  const labels = valueLabelsOf(name);
  const options = (values ?? Object.keys(labels).map(Number)).map(
    (value) => [value, labels[value] ?? String(value)] as const,
  );
  const isChoice = kind === "choice" || options.length > 0;
  return {
    name,
    kind: isChoice ? "choice" : kindOf(field),
    isRequired: isRequired ?? (isNullable || isChoice ? false : "stored"),
    ...(isChoice && { options }),
  };
}

function kindOf({ kind, format }: ResourceField): Field["kind"] {
  if (kind === "timestamp") return "time";
  if (kind === "number" || kind === "integer") return "number";
  return format === "uri" ? "url" : (format ?? "text");
}

/** The values in the form of a new row. */
export function initialOf(resource: ResourceName): Readonly<Record<string, MemberValue>> {
  const initial = Object.entries(fieldsOf(resource)).flatMap(([name, field]) =>
    field.default === undefined ? [] : [[name, field.default] as const],
  );
  return Object.fromEntries(initial);
}
