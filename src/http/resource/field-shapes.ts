import { type TOptional, type TUnsafe, Type } from "@sinclair/typebox";
import type {
  InputName,
  InputValue,
  ResourceField,
  ResourceFields,
  ValueOf,
} from "../../shared/fields/field.ts";
import { attributesInput, attributesShape } from "../validation/attribute-shapes.ts";
import type { Constraints } from "../validation/constraints.ts";
import { choice, exampleTimestamp, integer, nullableText, number, text } from "../validation/shapes.ts";

type ReplyShapes<F extends ResourceFields, Name extends keyof F> = {
  -readonly [K in Name]: TUnsafe<ValueOf<F[K]>>;
};

export function replyShapes<F extends ResourceFields, Name extends keyof F & string>(
  fields: F,
  names: readonly Name[],
): ReplyShapes<F, Name> {
  const shapes = names.map((name) => [name, replyShape(fields[name] as ResourceField)]);
  // Safe: each is the shape of the field's value.
  return Object.fromEntries(shapes) as ReplyShapes<F, Name>;
}

function replyShape(field: ResourceField): TUnsafe<unknown> {
  const { kind, example = kind === "timestamp" ? exampleTimestamp : undefined } = field;
  if (kind === "attributes") return attributesShape;
  const details = { ...constraintsOf(field), ...(example !== undefined && { examples: [example] }) };
  if (kind === "flag") return Type.Unsafe<boolean>(Type.Boolean(details));
  return valueShape(field, kind === "timestamp" ? { ...details, format: "date-time" } : details);
}

type Changes<F extends ResourceFields> = {
  -readonly [K in InputName<F>]: TOptional<TUnsafe<InputValue<F[K]>>>;
};
type Put<F extends ResourceFields> = Omit<Changes<F>, "externalId">;
/** The names of the fields of a body of a create. */
type NewName<F extends ResourceFields> = {
  [K in InputName<F>]: F[K] extends { input: { create: false } } ? never : K;
}[InputName<F>];
type NewValue<F extends ResourceField> = F extends { input: { create: { values: readonly (infer V)[] } } }
  ? V
  : F extends { input: { create: { isNullable: false } } }
    ? NonNullable<InputValue<F>>
    : InputValue<F>;
type RequiredField = { input: { isRequired: true } } | { input: { create: { isRequired: true } } };
type New<F extends ResourceFields> = {
  -readonly [K in NewName<F>]: F[K] extends RequiredField
    ? TUnsafe<NewValue<F[K]>>
    : TOptional<TUnsafe<NewValue<F[K]>>>;
};

/** The fields of the bodies that create a row, change a row, and do either by external id. */
export function inputShapes<F extends ResourceFields>(
  fields: F,
): { create: New<F>; update: Changes<F>; put: Put<F> } {
  const update = shapesOf(fields, false);
  const { externalId: _, ...put } = update;
  // Safe: each is the shape of what callers send for the field.
  return { create: shapesOf(fields, true), update, put } as {
    create: New<F>;
    update: Changes<F>;
    put: Put<F>;
  };
}

function shapesOf(fields: ResourceFields, isNew: boolean): Record<string, TUnsafe<unknown>> {
  const shapes: Record<string, TUnsafe<unknown>> = {};
  const isRequired = ([, { input }]: [string, ResourceField]) => input?.isRequired === true;
  // Required fields come first: the examples of problems are of the first one.
  const sorted = Object.entries(fields).toSorted((a, b) => Number(isRequired(b)) - Number(isRequired(a)));
  for (const [name, field] of sorted) {
    const { create = {}, ...input } = field.input ?? { create: false };
    if (!field.input || (isNew && create === false)) continue;
    const sent = { ...field, ...input, ...(isNew && create) };
    const shape = inputShape(sent);
    shapes[name] = isNew && sent.isRequired ? shape : Type.Optional(shape);
  }
  return shapes;
}

function inputShape(field: ResourceField): TUnsafe<unknown> {
  const { kind, example = exampleTimestamp } = field;
  if (kind === "attributes") return attributesInput;
  const details = { ...constraintsOf(field), ...(kind !== "choice" && { examples: [example] }) };
  return valueShape(field, kind === "timestamp" ? { ...details, format: "iso-8601" } : details);
}

function valueShape(
  { kind, values = [], isNullable }: ResourceField,
  details: Partial<Constraints>,
): TUnsafe<unknown> {
  if (kind === "choice") return choice(values, details);
  if (kind === "number") return number(details);
  if (kind === "integer" || kind === "id") return integer(details);
  return isNullable ? nullableText(details) : text(details);
}

/** The constraints of what callers send for a field. */
export function inputConstraints(field: ResourceField): Partial<Constraints> {
  const { create: _, ...input } = field.input ?? {};
  return constraintsOf({ ...field, ...input });
}

const keywords = [
  "minLength",
  "maxLength",
  "pattern",
  "minimum",
  "maximum",
  "format",
  "description",
] as const;

function constraintsOf(field: ResourceField): Partial<Constraints> {
  return Object.fromEntries(
    keywords.flatMap((name) => (field[name] === undefined ? [] : [[name, field[name]]])),
  );
}
