import {
  Kind,
  type ObjectOptions,
  type Static,
  type TObject,
  type TProperties,
  type TSchema,
  type TUnsafe,
  Type,
  TypeRegistry,
} from "@sinclair/typebox";
import type { List } from "../core/list-query.ts";
import { type PageRequest, sortOrders } from "../core/paging.ts";
import { type Constraints, validate, validateParameter } from "./constraints.ts";

/**
 * TypeBox's own string and number types count UTF-16 units, and their parameters take `1e3`. These two
 * kinds are plain JSON Schema to a reader and are judged by `rules.ts`.
 */
const VALUE_KIND = "accountd:value";
const PARAMETER_KIND = "accountd:parameter";
const DOCUMENTED_KIND = "accountd:description";
// Safe: schemas of these kinds are made below, from Rules.
TypeRegistry.Set(VALUE_KIND, (schema, given) => validate(schema as Constraints, given) === undefined);
TypeRegistry.Set(
  PARAMETER_KIND,
  (schema, given) => validateParameter(schema as Constraints, given) === undefined,
);
TypeRegistry.Set(DOCUMENTED_KIND, () => true);

type Details = Omit<Constraints, "type">;

/** A member that is a string, or, with `nullable`, a string or null. */
export function text(details: Details = {}): TUnsafe<string> {
  return shape<string>(VALUE_KIND, { type: "string", ...details });
}

export function nullableText(details: Details = {}): TUnsafe<string | null> {
  return shape<string | null>(VALUE_KIND, { type: ["string", "null"], ...details });
}

/** A member that is one of the words. */
export function choice<const Word extends string>(
  words: readonly Word[],
  details: Details = {},
): TUnsafe<Word> {
  return shape<Word>(VALUE_KIND, { type: "string", enum: words, ...details });
}

/** A member that is a finite number. */
export function number(details: Details = {}): TUnsafe<number> {
  return shape<number>(VALUE_KIND, { type: "number", ...details });
}

/** A member that is a whole number. */
export function integer(details: Details = {}): TUnsafe<number> {
  return shape<number>(VALUE_KIND, { type: "integer", ...details });
}

const exampleTimestamp = "2026-01-02T03:04:05.678Z";

/** A moment as every response writes it. */
export function timestamp(description: string, example = exampleTimestamp): TUnsafe<string> {
  return text({ format: "date-time", description, examples: [example] });
}

/** The same where there may be none. */
export function nullableTimestamp(description: string, example = exampleTimestamp): TUnsafe<string | null> {
  return nullableText({ format: "date-time", description, examples: [example] });
}

/** A whole number in a path or query: text in plain digits, or the parameter's default. */
export type WholeNumber = number | `${bigint}`;

export function wholeNumberParameter(details: Details): TUnsafe<WholeNumber> {
  return shape<WholeNumber>(PARAMETER_KIND, { type: "integer", ...details });
}

/** An identifier that the service assigned, in a path. */
export function idParameter(description: string): TUnsafe<WholeNumber> {
  return wholeNumberParameter({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description, examples: [42] });
}

/** The parameters of a path with one such identifier, under the name that the path gives it. */
export function idPath<const Name extends string>(
  name: Name,
  description: string,
): TObject<Record<Name, TUnsafe<WholeNumber>>> {
  const properties = { [name]: idParameter(description) };
  // Safe: TypeScript types a computed name as any string.
  return Type.Object(properties as Record<Name, TUnsafe<WholeNumber>>);
}

/** An identifier of the caller's own, in a path. */
export function externalIdParameter(description: string): TUnsafe<string> {
  return shape<string>(VALUE_KIND, {
    type: "string",
    minLength: 1,
    maxLength: 255,
    description,
    examples: ["acme-7"],
  });
}

/** The member by which callers name what they keep, and the rules for it. */
export const externalId = {
  maxLength: 255,
  description: "The caller's own identifier, unique within the organization, compared byte for byte",
  examples: ["acme"],
};

/** The rules of a title. */
export const titleConstraints = { minLength: 1, maxLength: 255, pattern: "\\S" } as const;

/** A member that is an object with any members. */
export function openObject(options: ObjectOptions = {}): TUnsafe<Record<string, unknown>> {
  return Type.Unsafe<Record<string, unknown>>(Type.Object({}, { additionalProperties: true, ...options }));
}

/** The members by which the body of an upsert names the account. */
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
      description: "Or the account's externalId",
      examples: ["acme"],
    }),
  ),
};

export const Pagination = Type.Object(
  {
    page: integer({ minimum: 1, description: "As asked for, from 1", examples: [1] }),
    pageSize: integer({ minimum: 1, description: "As asked for", examples: [25] }),
    total: integer({ minimum: 0, description: "All rows that match, on every page", examples: [42] }),
    totalPages: integer({ minimum: 0, description: "0 when no row matches", examples: [2] }),
    hasNextPage: Type.Boolean({ examples: [true] }),
    hasPrevPage: Type.Boolean({ description: "Also on a page past the end", examples: [false] }),
  },
  { $id: "Pagination", description: "Where the page stands in the whole list" },
);

/** The parameters that every list takes. */
export const pageParameters = {
  page: Type.Optional(
    wholeNumberParameter({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 1,
      description: "Page number",
    }),
  ),
  pageSize: Type.Optional(
    wholeNumberParameter({ minimum: 1, maximum: 100, default: 25, description: "Rows on a page" }),
  ),
};

/** The query of a list: page, filters and order. Every filter of the list but those of the path needs a schema. */
export function listQuerySchema<
  Sort extends string,
  Filter extends string,
  Filters extends TProperties & Record<Exclude<Filter, "accountId">, TSchema>,
>({ sortColumns: sortBy }: List<unknown, Sort, Filter>, filters: Filters) {
  return Type.Object(
    {
      ...pageParameters,
      ...filters,
      sortBy: Type.Optional(
        choice(sortBy, {
          default: sortBy[0],
          description: "What the list is ordered by; equals in the order in which they were made",
        }),
      ),
      sortOrder: Type.Optional(
        choice(sortOrders, { default: "asc", description: "Ascending or descending" }),
      ),
    },
    { additionalProperties: true },
  );
}

/** A list's filter by the caller's own identifier. */
export function externalIdFilter(noun: string): TUnsafe<string> {
  return text({ maxLength: 255, description: `The one ${noun} with this externalId` });
}

/** A list's filter by a part of a text. */
export function searchFilter(what: string): TUnsafe<string> {
  return text({
    maxLength: 255,
    description: `Substring of ${what}, in any letter case; empty: no filter`,
  });
}

/** The page that a query asks for; its parameters have passed their shapes. */
export function pageOf(query: { page?: WholeNumber; pageSize?: WholeNumber }): PageRequest {
  return { page: Number(query.page ?? 1), pageSize: Number(query.pageSize ?? 25) };
}

/**
 * A body whose shape is for the reader alone, and judges nothing: where each item of a body has an outcome of
 * its own, so that a bad one never spoils the others.
 */
export function documentedOnly<Shape extends TSchema>(shape: Shape): TUnsafe<Static<Shape>> {
  return Type.Unsafe<Static<Shape>>({ ...shape, [Kind]: DOCUMENTED_KIND });
}

/** A page of a list: its rows in `data`. */
export function listOf<Row extends TSchema>(row: Row, $id: string) {
  return Type.Object({ data: Type.Array(row), pagination: Pagination }, { $id });
}

/** A success body: its payload in `data`. */
export function dataOf<Shape extends TSchema>(data: Shape, $id: string): TObject<{ data: Shape }> {
  return Type.Object({ data }, { $id });
}

function shape<T>(kind: string, rules: Constraints): TUnsafe<T> {
  return Type.Unsafe<T>({ ...rules, [Kind]: kind });
}
