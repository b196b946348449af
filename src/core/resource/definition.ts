import type { SQL } from "drizzle-orm";
import type { Value } from "../../../db/engine.ts";
import type { Column, ColumnName } from "../../../db/expressions.ts";
import type { ResourceType } from "../../shared/resources.ts";
import type { ResourceRows } from "../changes/changes.ts";
import { type FieldViolation, Problem, type ViolationCode } from "../errors.ts";
import type { ProblemCode } from "../problem-types.ts";
import type { Tables } from "./tables.ts";

type CommonColumn = "id" | "accountId" | "externalId" | "createdAt" | "updatedAt" | "version" | "memberTimes";
export type Columns = Record<string, Value>;

/** The column that a folded copy is made from: `name` of `foldedName`. */
type SourceOf<K extends string> = K extends `folded${infer Source}` ? Uncapitalize<Source> : never;

export type Folded<Source extends string = string> = { of: Source; by?: (text: string) => string };

/** A unique constraint that a caller's values can violate, and its problem. */
export type Conflict = {
  columns: readonly Column[];
  code: ProblemCode & ViolationCode;
  field: string;
  detail: string;
  advice?: string;
};

/** A kind of row that callers create, read, update and delete, declared once. */
export type ResourceDefinition<T extends ResourceType, Input> = {
  type: T;
  table: Tables[T];
  /** The columns to read and to present: all except derived and internal ones. */
  fields: { [K in keyof ResourceRows[T]]: K extends keyof Tables[T] ? Tables[T][K] : never };
  /** The columns with a folded copy, for search, order and equality: the columns that they copy, and how unless by `fold`. */
  folded: { [K in Extract<ColumnName<Tables[T]>, `folded${string}`>]: Folded<SourceOf<K>> };
  /**
   * The columns of the resource after `input` is applied to `existing`, or to the defaults of a new row. Throws a
   * Problem for invalid input.
   */
  columnsOf(
    input: Partial<Input>,
    existing: ResourceRows[T] | undefined,
    now: number,
  ): Omit<ResourceRows[T], CommonColumn>;
  /** The members that a new row needs, after its defaults. */
  required: readonly (keyof Input & string)[];
  withDefaults?: (input: Partial<Input>) => Partial<Input>;
  /** Of several conflicts of a row, the caller gets the last one. */
  conflicts: readonly Conflict[];
  /** Internal columns of a new row that the database computes. */
  computed?: { [K in ColumnName<Tables[T]>]?: SQL };
  /** An internal column that a new row and a change set where they concern a job. */
  mark?: {
    column: ColumnName<Tables[T]>;
    value: Value;
    isNeeded(after: ResourceRows[T], before?: ResourceRows[T]): boolean;
  };
};
export type ResourceInput = { externalId?: string | null };

/** The members of a new row with its defaults. Throws `invalid_request` when a required member is missing, or the account. */
export function membersOfNew<T extends ResourceType, Input>(
  { required, withDefaults, table }: ResourceDefinition<T, Input>,
  input: Partial<Input>,
  hasAccount: boolean,
): Partial<Input> {
  const members = withDefaults?.(input) ?? input;
  const missing = required.filter((name) => members[name] === undefined);
  const errors = missing.map((name) => missingMember(name, "is required"));
  if (!hasAccount && "accountId" in table)
    errors.unshift(missingMember("accountId", "or accountExternalId is required"));
  if (errors.length > 0) throw new Problem("invalid_request", { errors });
  return members;
}

function missingMember(name: string, detail: string): FieldViolation {
  return { pointer: `/${name}`, code: "required", detail };
}

/** The conflict of an external id that is in use. */
export function externalIdConflict(noun: ResourceType, table: Tables[ResourceType]): Conflict {
  return {
    columns: [table.organizationId, table.externalId],
    code: "external_id_conflict",
    field: "externalId",
    detail: `is in use by another ${noun}`,
    advice: `Use another externalId, or update the ${noun} that has this one.`,
  };
}
