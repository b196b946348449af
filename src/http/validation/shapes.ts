import {
  Kind,
  type ObjectOptions,
  type Static,
  type TObject,
  type TSchema,
  type TUnsafe,
  Type,
  TypeRegistry,
} from "@sinclair/typebox";
import { type Constraints, validate, validateParameter } from "./constraints.ts";

/**
 * TypeBox's own string and number types count UTF-16 units, and accept `1e3` as a parameter. These kinds are plain
 * JSON Schema in the document and are validated by `constraints.ts`.
 */
const VALUE_KIND = "accountd:value";
export const PARAMETER_KIND = "accountd:parameter";
const DOCUMENTED_KIND = "accountd:description";
// Safe: schemas of these kinds are made below, from Constraints.
TypeRegistry.Set(VALUE_KIND, (schema, value) => validate(schema as Constraints, value) === undefined);
TypeRegistry.Set(
  PARAMETER_KIND,
  (schema, value) => validateParameter(schema as Constraints, value) === undefined,
);
TypeRegistry.Set(DOCUMENTED_KIND, () => true);

type Details = Omit<Constraints, "type">;

export function text(details: Details = {}): TUnsafe<string> {
  return shape<string>(VALUE_KIND, { type: "string", ...details });
}

export function nullableText(details: Details = {}): TUnsafe<string | null> {
  return shape<string | null>(VALUE_KIND, { type: ["string", "null"], ...details });
}

export function choice<const Value extends string>(
  values: readonly Value[],
  details: Details = {},
): TUnsafe<Value> {
  return shape<Value>(VALUE_KIND, { type: "string", enum: values, ...details });
}

/** A member that is a finite number. */
export function number(details: Details = {}): TUnsafe<number> {
  return shape<number>(VALUE_KIND, { type: "number", ...details });
}

/** A member that is a whole number. */
export function integer(details: Details = {}): TUnsafe<number> {
  return shape<number>(VALUE_KIND, { type: "integer", ...details });
}

export function nullableInteger(details: Details = {}): TUnsafe<number | null> {
  return shape<number | null>(VALUE_KIND, { type: ["integer", "null"], ...details });
}

export const exampleTimestamp = "2026-01-02T03:04:05.678Z";

export function timestamp(description: string, example = exampleTimestamp): TUnsafe<string> {
  return text({ format: "date-time", description, examples: [example] });
}

/** A timestamp in a reply, or null. */
export function nullableTimestamp(description: string, example = exampleTimestamp): TUnsafe<string | null> {
  return nullableText({ format: "date-time", description, examples: [example] });
}

/** A whole number in a path or query: plain digits, or the default of the parameter. */
export type WholeNumber = number | `${bigint}`;

export function wholeNumberParameter(details: Details): TUnsafe<WholeNumber> {
  return shape<WholeNumber>(PARAMETER_KIND, { type: "integer", ...details });
}

/** A parameter of the query, which is text. */
export function parameter(constraints: Constraints): TUnsafe<string> {
  return shape<string>(PARAMETER_KIND, constraints);
}

/** An identifier that the service assigned, in a path. */
export function idParameter(description: string): TUnsafe<WholeNumber> {
  return wholeNumberParameter({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description, examples: [42] });
}

/** The parameters of a path with one such identifier. */
export function idPath<const Name extends string>(
  name: Name,
  description: string,
): TObject<Record<Name, TUnsafe<WholeNumber>>> {
  const properties = { [name]: idParameter(description) };
  // Safe: TypeScript types a computed name as any string.
  return Type.Object(properties as Record<Name, TUnsafe<WholeNumber>>);
}

/** The path of an account, and of what belongs to it. */
export const AccountPath = idPath("accountId", "The account's id");

export function externalIdParameter(description: string): TUnsafe<string> {
  return shape<string>(VALUE_KIND, {
    type: "string",
    minLength: 1,
    maxLength: 255,
    description,
    examples: ["acme-7"],
  });
}

export const externalId = {
  maxLength: 255,
  description: "The caller's own identifier, unique within the organization, compared byte for byte",
  examples: ["acme"],
};

/** The `externalId` of an item, by which its row is found. */
export const requiredExternalId = text({ ...externalId, minLength: 1 });

/** A member that is an object with any members. */
export function openObject(options: ObjectOptions = {}): TUnsafe<Record<string, unknown>> {
  return Type.Unsafe<Record<string, unknown>>(Type.Object({}, { additionalProperties: true, ...options }));
}

/** A copy of the schema that also accepts null. Only the document reads it. */
export function nullable<Shape extends TSchema>(shape: Shape): TUnsafe<Static<Shape> | null> {
  return Type.Unsafe<Static<Shape> | null>({ ...shape, type: [shape.type, "null"] });
}

/** The members of an upsert that refer to the account. */
export const accountReference = {
  accountId: Type.Optional(
    integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: "The account's id",
      examples: [42],
    }),
  ),
  accountExternalId: Type.Optional(
    text({
      minLength: 1,
      maxLength: 255,
      description: "The account's externalId, instead of accountId",
      examples: ["acme"],
    }),
  ),
};

/** A schema for the document only, which accepts everything: the items of a body have an outcome each. */
export function documentedOnly<Shape extends TSchema>(shape: Shape): TUnsafe<Static<Shape>> {
  return Type.Unsafe<Static<Shape>>({ ...shape, [Kind]: DOCUMENTED_KIND });
}

/** One of several objects of a reply, which the values of their `type` distinguish. */
export function oneOf<const Shapes extends readonly TSchema[]>(shapes: Shapes, options: object) {
  return documentedOnly(Type.Unsafe<Static<Shapes[number]>>({ ...options, oneOf: shapes }));
}

/** A success body: its payload in `data`. */
export function dataOf<Shape extends TSchema>(data: Shape, $id: string): TObject<{ data: Shape }> {
  return Type.Object({ data }, { $id });
}

function shape<T>(kind: string, constraints: Constraints): TUnsafe<T> {
  return Type.Unsafe<T>({ ...constraints, [Kind]: kind });
}
