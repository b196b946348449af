import type { PageRequest } from "../core/lists/paging.ts";
import { tenantRoutes } from "../http/guard/guard.ts";
import { formatHeader, formatRows } from "./formats.ts";
import { UsageDaysExportPath, UsageDaysExportQuery } from "./input.ts";
import { partsOf } from "./parts.ts";
import { internalCursors, sendParts } from "./routes.ts";
import { readExportedDays, usageDayColumns } from "./usage-days.ts";

/** The export of usage days, for the command `export`. */
export const usageDayExportRoutes = tenantRoutes("/operator/exports").get(
  "/usage-days/:format",
  ({ tenant, query, request, set, params: { format }, reportStreamError }) => {
    const { end, ...choices } = query;
    const style = { format, ...choices };
    const cursors = internalCursors("reader");
    const readPart = async (page: PageRequest) => {
      const { rows, pagination } = await tenant.readList(cursors, (snapshot) =>
        readExportedDays(snapshot, page),
      );
      return { text: formatRows(style, usageDayColumns, rows), rowCount: rows.length, pagination };
    };
    const header = formatHeader(style, usageDayColumns);
    const parts = partsOf(readPart, { header, hasEndLine: end === "true" });
    return sendParts({ tenant, request, set, reportStreamError }, { resource: "usage-days", format }, parts);
  },
  { params: UsageDaysExportPath, query: UsageDaysExportQuery },
);
