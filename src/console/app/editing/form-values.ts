import { attributePrefix } from "../../../shared/file-fields.ts";
import type { MemberValue, RowMembers } from "./members.ts";

/** An input of a form for one member. */
export type Field = {
  name: string;
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

/** The text of a value in an input. */
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
