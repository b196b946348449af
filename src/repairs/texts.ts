import { eq } from "drizzle-orm";
import type { DerivedFault, FaultPage } from "../../db/derived-faults.ts";
import { inputs, integerInput, pick } from "../../db/expressions.ts";
import { fold, foldAddress } from "../core/folding.ts";
import { readBatchSize } from "../core/pauses.ts";
import { resourceTables } from "../core/resource/tables.ts";
import { select, selectAfter, update } from "../core/tenant/statements.ts";
import type { TenantSnapshot, TenantTransaction } from "../core/tenant/transaction.ts";

type FoldedResource = keyof typeof resourceTables;
type FoldedRow = { id: number } & Record<string, string | number | null>;

// Safe: the keys of the tables.
const statements = (Object.keys(resourceTables) as FoldedResource[]).map(defineStatements);

/** The statements on the folded columns of a resource, and on the columns that these copy. */
function defineStatements(resource: FoldedResource) {
  // Safe: the statements name columns of the table only, and the type of accounts has one column of each kind.
  const table = resourceTables[resource] as (typeof resourceTables)["account"];
  const folded = Object.keys(table).filter((name) => name.startsWith("folded")) as "foldedName"[];
  const fields = pick(table, "id", ...folded, ...folded.map((name) => sourceOf(name) as "name"));
  const isRow = eq(table.id, integerInput("id"));
  return {
    resource,
    folded: folded as string[],
    page: selectAfter(`repairs.${resource}Texts`, { fields, from: table }),
    byId: select(`repairs.${resource}Text`, { fields, from: table, where: isRow }),
    save: update(`repairs.save_${resource}`, { table, set: inputs(table, ...folded), where: isRow }),
  };
}

/** The column that a folded column copies: `name` of `foldedName`. */
function sourceOf(folded: string): string {
  const name = folded.slice("folded".length);
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/** The texts of a folded column that are right. The second one: an upgrade found the address twice in the account. */
function foldedForms(row: FoldedRow, column: string): (string | null)[] {
  const text = row[sourceOf(column)];
  if (typeof text !== "string") return [null];
  if (column !== "foldedEmail") return [fold(text)];
  const address = foldAddress(text);
  return [address, `${address} ${row.id}`];
}

function isFolded(row: FoldedRow, column: string): boolean {
  return foldedForms(row, column).some((form) => form === row[column]);
}

/** For each resource: finds rows after `lastId` with folded columns that are not right. `lastId`: undefined at the end. */
export const textComparisons = statements.map(
  ({ resource, folded, page }) =>
    async (snapshot: TenantSnapshot, lastId: number): Promise<FaultPage> => {
      const { organizationId } = snapshot;
      // Safe: the fields of `page`.
      const rows = (await snapshot.all(page, { lastId, limit: readBatchSize, offset: 0 })) as FoldedRow[];
      const faults = rows.flatMap((row): DerivedFault[] => {
        const wrong = folded.filter((column) => !isFolded(row, column));
        const names = wrong.map(sourceOf).join(" and ");
        const text = `organization ${organizationId}, ${resource} ${row.id}: the folded copy of ${names} is wrong`;
        const key = [resource, row.id];
        return wrong.length > 0 ? [{ kind: "foldedTexts", text, organizationId, key, difference: 0 }] : [];
      });
      return { faults, lastId: rows.length < readBatchSize ? undefined : rows.at(-1)?.id };
    },
);

/** Folds the texts of a row again. Throws UniqueViolation for a contact whose address another one of the account has. */
export async function repairTexts(tx: TenantTransaction, resource: unknown, id: number): Promise<boolean> {
  const statement = statements.find((candidate) => candidate.resource === resource);
  // Safe: the fields of `byId`.
  const row = statement && ((await tx.first(statement.byId, { id })) as FoldedRow | undefined);
  if (!row) return false;
  const values = statement.folded.map((column) => {
    return [column, isFolded(row, column) ? row[column] : foldedForms(row, column)[0]];
  });
  await tx.run(statement.save, { id, ...Object.fromEntries(values) });
  return true;
}
