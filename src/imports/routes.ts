import { deriveParsedBody, readUnvalidatedJson } from "../http/body/body.ts";
import { tenantRoutes } from "../http/guard/guard.ts";
import { presentUpserts } from "../http/replies/upsert-replies.ts";
import { countRows } from "../http/resource/count-rows.ts";
import { ok, write } from "../http/resource/write.ts";
import { WriteQuery } from "../http/resource/write-schemas.ts";
import { ImportPath, readImportedRows } from "./input.ts";
import { importRows } from "./store.ts";

/** Creates and updates rows of sub-resources by their external ids, for the command `import`. */
export const importRoutes = tenantRoutes("/operator/imports")
  .derive(deriveParsedBody)
  .post(
    "/:resource",
    async ({ tenant, set, query, params: { resource }, parsedBody }) => {
      const items = await readImportedRows(resource, parsedBody);
      return write(
        { tenant, set, query },
        async (tx) => ok(presentUpserts(await importRows(tx, resource, items), "")),
        { isBulk: true, rowCount: countRows(items) },
      );
    },
    { parse: readUnvalidatedJson({}), params: ImportPath, query: WriteQuery },
  );
