import { deriveParsedBody, readUnvalidatedJson } from "../http/body/body.ts";
import { tenantRoutes } from "../http/guard/guard.ts";
import { presentUpserts } from "../http/replies/upsert-replies.ts";
import { ok, write } from "../http/resource/write.ts";
import { WriteQuery } from "../http/resource/write-schemas.ts";
import { readImportedDays } from "./input.ts";
import { importDays } from "./usage-days.ts";

/** Stores days of usage from before the service was used, for the command `import`. */
export const usageDayImportRoutes = tenantRoutes("/operator/imports")
  .derive(deriveParsedBody)
  .post(
    "/usage-days",
    async ({ tenant, set, query, parsedBody }) => {
      const items = await readImportedDays(parsedBody);
      return write(
        { tenant, set, query },
        async (tx) => ok(presentUpserts(await importDays(tx, items), "")),
        { isBulk: true, rowCount: items.length },
      );
    },
    { parse: readUnvalidatedJson({}), query: WriteQuery },
  );
