import { and, eq, getTableName, ne } from "drizzle-orm";
import { UniqueViolation } from "../../../db/errors.ts";
import { type Column, input, integerInput, pair, pairsOf, textInput } from "../../../db/expressions.ts";
import type { ResourceType } from "../../shared/resources.ts";
import type { ResourceRows } from "../changes/changes.ts";
import { Problem } from "../errors.ts";
import { fold } from "../folding.ts";
import {
  insert,
  isUniqueInJson,
  remove,
  select,
  type TenantStatement,
  update,
} from "../tenant/statements.ts";
import { UniqueConflict } from "../tenant/unique-conflict.ts";
import type { Columns, Conflict, Folded, ResourceDefinition } from "./definition.ts";
import { setMemberTimes } from "./member-times.ts";

/** The statements of a resource, and the columns that no caller sees. */
export function createRowStore<T extends ResourceType, Input>(definition: ResourceDefinition<T, Input>) {
  const { table, fields, conflicts, mark } = definition;
  const name = getTableName(table);
  // Safe: each is a column of the table.
  const columns = fields as Record<string, Column>;
  const foldedColumns = Object.entries<Folded>(definition.folded);
  const byId = eq(table.id, integerInput("id"));
  const writtenColumns = Object.keys(columns).filter((column) => column !== "id" && column !== "version");
  const markColumns = mark ? [mark.column] : [];
  const otherConflicts = conflicts.slice(1).map((conflict) => {
    const equal = conflict.columns
      .filter((column) => column !== table.organizationId)
      .map((column) => eq(column, input(nameOf(table, column))));
    const where = and(...equal, ne(table.id, integerInput("id")));
    return {
      conflict,
      rows: select(`${name}.with/${conflict.field}`, { fields: { id: table.id }, from: table, where }),
    };
  });
  const updates = new Map<string, TenantStatement<unknown>>();

  return {
    mark: mark && { [mark.column]: mark.value },
    byId: select(`${name}.byId`, {
      fields: columns,
      from: table,
      where: byId,
      key: ["id"],
    }) as TenantStatement<ResourceRows[T]>,
    byExternalId: select(`${name}.byExternalId`, {
      fields: columns,
      from: table,
      where: eq(table.externalId, textInput("externalId")),
    }) as TenantStatement<ResourceRows[T]>,
    byIds: select(`${name}.byIds`, {
      fields: columns,
      from: table,
      // A condition with a list of ids alone would let SQLite read all rows of the organization.
      outerQuery: () => pairsOf(textInput("keys")),
      where: eq(table.id, pair.number),
      isByIds: true,
    }) as TenantStatement<ResourceRows[T]>,
    byExternalIds: select(`${name}.byExternalIds`, {
      fields: columns,
      from: table,
      where: isUniqueInJson({ from: table, id: table.id, text: table.externalId }, textInput("externalIds")),
      isByIds: true,
    }) as TenantStatement<ResourceRows[T]>,
    remove: remove(`${name}.delete`, { from: table, where: byId, key: ["id"] }),
    insert: insert(`${name}.insert`, {
      into: table,
      // Safe: `fields` and `folded` have every column without a default.
      values: {
        ...assignments([...writtenColumns, ...foldedColumns.map(([folded]) => folded), ...markColumns]),
        ...definition.computed,
      } as never,
    }),

    /** Sets the changed columns only, because SQLite writes the indexes of every column in SET, also for equal values. */
    updateOf(changed: readonly string[]): TenantStatement<unknown> {
      return updates.getOrInsertComputed(changed.join("+"), (key) => {
        const set: Record<string, unknown> = assignments(changed);
        if ("memberTimes" in set) set.memberTimes = setMemberTimes(columns.memberTimes as Column);
        // Safe: the names of columns.
        return update(`${name}.update/${key}`, { table, set: set as never, where: byId, key: ["id"] });
      });
    },

    /**
     * The folded copies of the changed columns of a row, and its mark if the change concerns the job. Of a new row, of all
     * columns.
     */
    derivedColumns(after: Columns, before?: Columns, changed?: readonly string[]): Columns {
      const derived: Columns = {};
      for (const [folded, { of, by = fold }] of foldedColumns) {
        if (changed && !changed.includes(of)) continue;
        const text = after[of];
        derived[folded] = typeof text === "string" ? by(text) : null;
      }
      if (!mark) return derived;
      // Safe: rows of the resource.
      const [newRow, oldRow] = [after, before] as unknown as [ResourceRows[T], ResourceRows[T] | undefined];
      if (mark.isNeeded(newRow, oldRow)) derived[mark.column] = mark.value;
      else if (!before) derived[mark.column] = null;
      return derived;
    },

    /** The problem of a violated unique constraint by a row; another error as it is. */
    asConflict(error: unknown, row: Columns): unknown {
      if (!(error instanceof UniqueViolation)) return error;
      const index = conflicts.findIndex(({ columns }) => constraintOf(columns) === error.constraint);
      const violated = conflicts[index];
      if (!violated) return error;
      const problem = conflictProblem(violated);
      const preceding = otherConflicts.slice(index).reverse();
      if (preceding.length === 0) return problem;
      const values = { id: 0, ...row, ...this.derivedColumns(row) };
      return new UniqueConflict(problem, async (reader) => {
        for (const { conflict, rows } of preceding)
          if ((await reader.all(rows, values)).length > 0) return conflictProblem(conflict);
        return problem;
      });
    },
  };
}

function assignments(columns: readonly string[]) {
  return Object.fromEntries(columns.map((name) => [name, input(name)]));
}

function nameOf(table: object, column: Column): string {
  return Object.entries(table).find(([, member]) => member === column)?.[0] ?? column.name;
}

/** The `constraint` of a UniqueViolation. */
function constraintOf(columns: readonly Column[]): string {
  return columns.map((column) => `${getTableName(column.table)}.${column.name}`).join(", ");
}

/** The problem of a row with a value of another one. */
export function conflictProblem({ code, field, detail, advice }: Conflict): Problem {
  return new Problem(code, {
    errors: [{ pointer: `/${field}`, code, detail }],
    ...(advice && { detail: advice }),
  });
}
