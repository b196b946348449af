import type { TenantTransaction } from "../core/tenant/transaction.ts";
import { deriveParsedBody, type ParsedBody, readUnvalidatedJson } from "../http/body/body.ts";
import { tenantRoutes } from "../http/guard/guard.ts";
import { presentUpserts } from "../http/replies/upsert-replies.ts";
import { countRows } from "../http/resource/count-rows.ts";
import { ok, write } from "../http/resource/write.ts";
import { WriteQuery } from "../http/resource/write-schemas.ts";
import { type ImportedRows, ImportPath, readImportedDays, readImportedRows } from "./input.ts";
import { importRows } from "./store.ts";
import { importDays } from "./usage-days.ts";

/** The rows of a body with the problems of invalid ones, and the function that stores them. */
async function readImport(resource: ImportedRows, parsedBody: ParsedBody) {
  if (resource === "usage-days") {
    const items = await readImportedDays(parsedBody);
    return { items, store: (tx: TenantTransaction) => importDays(tx, items) };
  }
  const items = await readImportedRows(resource, parsedBody);
  return { items, store: (tx: TenantTransaction) => importRows(tx, resource, items) };
}

/** Creates and updates rows of sub-resources by their external ids, and stores days of usage, for the command `import`. */
export const importRoutes = tenantRoutes("/operator/imports")
  .derive(deriveParsedBody)
  .post(
    "/:resource",
    async ({ tenant, set, query, params: { resource }, parsedBody }) => {
      const { items, store } = await readImport(resource, parsedBody);
      return write({ tenant, set, query }, async (tx) => ok(presentUpserts(await store(tx), "")), {
        isBulk: true,
        rowCount: countRows(items),
      });
    },
    { parse: readUnvalidatedJson({}), params: ImportPath, query: WriteQuery },
  );
