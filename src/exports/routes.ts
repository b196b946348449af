import { wantedMembers } from "../accounts/included.ts";
import { readsScores } from "../accounts/list.ts";
import type { PageRequest } from "../core/lists/paging.ts";
import type { Tenant } from "../core/tenant/tenant.ts";
import type { TenantSnapshot } from "../core/tenant/transaction.ts";
import { waitForTurn } from "../core/turns.ts";
import { tenantRoutes } from "../http/guard/guard.ts";
import { detailOf } from "../http/guard/required-scope.ts";
import { replies } from "../http/replies/replies.ts";
import { streamText } from "../http/replies/stream-text.ts";
import type { FileRows } from "../shared/resources.ts";
import { addedColumns, columnsOf, type ExportFormat, type ExportStyle } from "./formats.ts";
import {
  AccountExportQuery,
  AccountJsonLinesQuery,
  type ExportQueryValues,
  OperatorExportPath,
  OperatorExportQuery,
} from "./input.ts";
import { mediaTypeOf } from "./media-types.ts";
import { exportReply, presenterOfExport } from "./model.ts";
import { partsOf } from "./parts.ts";
import { type ExportQuery, pageReaders, placeOfExport, readAttributeColumns } from "./store.ts";

const detail = detailOf("Accounts", "read");

type SentExport = {
  tenant: Tenant;
  request: Request;
  set: { headers: Record<string, string | number | undefined> };
  reportStreamError: (error: unknown) => void;
};
type ExportContext = SentExport & { query: ExportQueryValues };
type ExportFile = { resource: FileRows; format: ExportFormat };
type ExportInput = ExportStyle & { resource: FileRows; query: ExportQuery; hasEndLine: boolean };

/**
 * The rows that match the query, as parts of one text. Each part is read by `read`, in its own snapshot, when
 * it is requested: a row that changes its position during the export can be in it twice, or not at all. `hasEndLine`: JSON
 * lines end in the line of `formatEndLine`. Throws what `read` throws.
 */
export async function* exportText(
  read: <T>(fn: (snapshot: TenantSnapshot) => Promise<T>) => Promise<T>,
  { resource, query, hasEndLine, ...style }: ExportInput,
): AsyncGenerator<string, void> {
  const present = presenterOfExport(resource);
  const names =
    style.format === "csv" ? await read((snapshot) => readAttributeColumns(snapshot, resource)) : [];
  const columns = [...columnsOf(resource), ...addedColumns(wantedMembers(query)), ...names];
  const readPage = async (page: PageRequest) => {
    const { rows, included, pagination } = await read((snapshot) =>
      pageReaders[resource](snapshot, { ...query, ...page }),
    );
    return { rows: rows.map((row, i) => present(row, included[i])), pagination };
  };
  yield* partsOf(readPage, { ...style, columns, hasEndLine });
}

/** The options of `readList` for cursors that are not sent: the stored key would be written at its first use. */
export function internalCursors(place: "serving" | "reader") {
  return { cursor: "", ownKey: crypto.randomUUID(), place };
}

export function sendParts(
  { tenant, request, set, reportStreamError }: SentExport,
  { resource, format }: { resource: string; format: ExportFormat },
  parts: AsyncGenerator<string, void>,
): Promise<Response> {
  set.headers["content-type"] = mediaTypeOf(format, request.headers.get("accept"));
  set.headers.vary = "accept, accept-encoding";
  set.headers["content-disposition"] = `attachment; filename="${resource}.${format}"`;
  const context = { request, reportStreamError, waitForTurn: () => waitForTurn(tenant.organizationId) };
  return streamText(context, parts);
}

async function sendExport({ query, ...context }: ExportContext, file: ExportFile): Promise<Response> {
  const { end, bom, formulas, ...filters } = query;
  const cursors = internalCursors(placeOfExport(file.resource, filters, context.tenant.now));
  const options = { ...file, query: filters, hasEndLine: end === "true", bom, formulas };
  const text = exportText((fn) => context.tenant.readList(cursors, fn), options);
  return sendParts(context, file, text);
}

function exportOf(format: ExportFormat) {
  const handler = async ({ tenant, query, request, set, reportStreamError }: ExportContext) => {
    if (readsScores(query) || wantedMembers(query).has("health")) await tenant.runJob("scores");
    return sendExport({ tenant, query, request, set, reportStreamError }, { resource: "accounts", format });
  };
  const schemas = {
    query: format === "csv" ? AccountExportQuery : AccountJsonLinesQuery,
    response: replies({ 200: exportReply(format) }, 400, 401, 500, 503),
    detail: detail(
      format === "csv" ? "exportAccountsAsCsv" : "exportAccountsAsJsonLines",
      format === "csv" ? "Export accounts as CSV" : "Export accounts as JSON lines",
      "All accounts that match the filters, in one stream.",
    ),
  };
  return { handler, schemas };
}

const csv = exportOf("csv");
const jsonl = exportOf("jsonl");

export const exportRoutes = tenantRoutes("/api/v1")
  .get("/accounts.csv", csv.handler, csv.schemas)
  .get("/accounts.jsonl", jsonl.handler, jsonl.schemas);

/** The exports of the other rows, for the command `export`. */
export const operatorExportRoutes = tenantRoutes("/operator/exports").get(
  "/:resource/:format",
  ({ params, tenant, query, request, set, reportStreamError }) =>
    sendExport({ tenant, query, request, set, reportStreamError }, params),
  { params: OperatorExportPath, query: OperatorExportQuery },
);
