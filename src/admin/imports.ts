import type { Engine } from "../../db/engine.ts";
import { Tenant } from "../core/tenant.ts";
import { readImportedRows } from "../imports/input.ts";
import type { ImportedResource, ImportResult } from "../imports/rows.ts";
import { importRows } from "../imports/store.ts";
import { reactions } from "../reactions.ts";

/** Rolls back the transaction of a dry run. */
class ImportRollback extends Error {
  readonly results: ImportResult[];
  constructor(results: ImportResult[]) {
    super("the transaction of a dry run is rolled back");
    this.results = results;
  }
}

/**
 * Creates or updates rows of an organization in one transaction, as the command line. A dry run is rolled back. Throws
 * what the engine throws.
 */
export async function importIntoOrganization(
  engine: Engine,
  organizationId: number,
  { resource, rows, isDryRun }: { resource: ImportedResource; rows: readonly unknown[]; isDryRun: boolean },
): Promise<ImportResult[]> {
  const items = await readImportedRows(resource, rows);
  const caller = { organizationId, actor: { type: "cli" as const }, requestId: null };
  const tenant = new Tenant({ engine, reactions, runJob: () => Promise.resolve() }, caller);
  try {
    return await tenant.write(
      async (tx) => {
        const results = await importRows(tx, resource, items);
        if (isDryRun) throw new ImportRollback(results);
        return results;
      },
      { isBulk: true },
    );
  } catch (error) {
    if (error instanceof ImportRollback) return error.results;
    throw error;
  }
}
