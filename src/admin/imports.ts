import type { Engine, Reader } from "../../db/engine.ts";
import type { AttributeType } from "../../db/schema.ts";
import { attributedResources } from "../core/attributes/attributes.ts";
import { readAllAttributeTypes } from "../core/attributes/names.ts";
import type { FileResource } from "../core/file-resources.ts";
import { Tenant, TenantSnapshot } from "../core/tenant/tenant.ts";
import { readImportedRows } from "../imports/input.ts";
import { importRows } from "../imports/store.ts";
import { reactions } from "../reactions.ts";
import type { RowResult } from "../shared/unique-rows.ts";

/** Rolls back the transaction of a dry run. */
class ImportRollback extends Error {
  readonly results: RowResult[];
  constructor(results: RowResult[]) {
    super("the transaction of a dry run is rolled back");
    this.results = results;
  }
}

/** The types of the attributes that rows of the resource have, by name. Empty for a resource without attributes. */
export async function readImportedAttributes(
  reader: Reader,
  organizationId: number,
  resource: FileResource,
): Promise<Record<string, AttributeType>> {
  const attributed = attributedResources[resource];
  if (!attributed) return {};
  const types = await reader.read((snapshot) =>
    readAllAttributeTypes(new TenantSnapshot(snapshot, organizationId), attributed),
  );
  return Object.fromEntries(types);
}

/** The rows of one transaction: some milliseconds. Other writes of the organization run between two transactions. */
const rowsPerTransaction = 200;

/**
 * Creates or updates rows of an organization in several transactions, as the command line. Those of a dry run are rolled
 * back. Throws what the engine throws; the transactions before it are committed.
 */
export async function importIntoOrganization(
  engine: Engine,
  organizationId: number,
  { resource, rows, isDryRun }: { resource: FileResource; rows: readonly unknown[]; isDryRun: boolean },
): Promise<RowResult[]> {
  const caller = { organizationId, actor: { type: "cli" as const }, requestId: null };
  const tenant = new Tenant({ engine, reactions, runJob: () => Promise.resolve() }, caller);
  const results: RowResult[] = [];
  for (let start = 0; start < rows.length; start += rowsPerTransaction) {
    const items = await readImportedRows(resource, rows.slice(start, start + rowsPerTransaction));
    results.push(...(await writeRows(tenant, resource, items, isDryRun)));
  }
  return results;
}

async function writeRows(
  tenant: Tenant,
  resource: FileResource,
  items: Awaited<ReturnType<typeof readImportedRows>>,
  isDryRun: boolean,
): Promise<RowResult[]> {
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
