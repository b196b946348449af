import type { Value } from "../../db/engine.ts";
import type { Column, ColumnName } from "../../db/expressions.ts";
import type { accounts, contacts, featureRequests, meetings } from "../../db/schema.ts";
import type { ResourceRows, ResourceType } from "./changes.ts";
import type { ProblemCode, ViolationCode } from "./errors.ts";

export type Tables = {
  account: typeof accounts;
  contact: typeof contacts;
  meeting: typeof meetings;
  request: typeof featureRequests;
};
/** What every resource has besides its own columns. */
type CommonColumn = "id" | "accountId" | "externalId" | "createdAt" | "updatedAt";
/** The values of a row by column. */
export type Columns = Record<string, Value>;

/** The column that a folded copy is made from: `name` of `foldedName`. */
type SourceOf<K extends string> = K extends `folded${infer Source}` ? Uncapitalize<Source> : never;

/** A unique constraint that callers' values can violate, and the problem that they get. */
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
  /** The columns that are read and shown: all of the table that are not derived or internal. */
  fields: { [K in keyof ResourceRows[T]]: K extends keyof Tables[T] ? Tables[T][K] : never };
  /** Case-folded copies, for search and order, and the columns that they are made from. */
  folded: { [K in Extract<ColumnName<Tables[T]>, `folded${string}`>]: keyof ResourceRows[T] & string };
  /**
   * The row's own columns: `input` applied to `existing`, or to the defaults of a new row. Throws a Problem for
   * input that breaks a rule.
   */
  columnsOf(
    input: Partial<Input>,
    existing: ResourceRows[T] | undefined,
    now: number,
  ): Omit<ResourceRows[T], CommonColumn>;
  conflicts: readonly Conflict[];
};
export type ResourceInput = { externalId?: string | null };

/** The conflict of a resource's external id. */
export function externalIdConflict(noun: ResourceType, table: Tables[ResourceType]): Conflict {
  return {
    columns: [table.organizationId, table.externalId],
    code: "external_id_conflict",
    field: "externalId",
    detail: `is in use by another ${noun}`,
    advice: `Use another externalId, or update the ${noun} that has this one.`,
  };
}
