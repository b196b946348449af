import { wantedMembers } from "../accounts/included.ts";
import { readsScores } from "../accounts/list.ts";
import { Problem } from "../core/errors.ts";
import type { PageRequest } from "../core/lists/paging.ts";
import type { Tenant } from "../core/tenant/tenant.ts";
import type { TenantSnapshot } from "../core/tenant/transaction.ts";
import { waitForTurn } from "../core/turns.ts";
import { tenantRoutes } from "../http/guard/guard.ts";
import { detailOf } from "../http/guard/required-scope.ts";
import { replies } from "../http/replies/replies.ts";
import { streamText } from "../http/replies/stream-text.ts";
import { formatEndLine } from "../shared/import-lines.ts";
import type { ResourceName } from "../shared/resources.ts";
import { addedColumns, columnsOf, type ExportFormat, formatHeader, formatRows } from "./formats.ts";
import {
  AccountExportQuery,
  type AccountExportQueryValues,
  AccountJsonLinesQuery,
  SubResourceExportPath,
} from "./input.ts";
import { exportReply, mediaTypes, presenterOfExport } from "./model.ts";
import { type ExportQuery, pageReaders, placeOfExport, readAttributeColumns } from "./store.ts";

const detail = detailOf("Accounts", "read");

/** Rows of one part: a few milliseconds, after which other requests are answered. */
const maxRowsOfPart = 200;
/** About the characters of a part with long rows. */
const partLength = 500_000;

type ExportContext = {
  tenant: Tenant;
  query: AccountExportQueryValues;
  request: Request;
  set: { headers: Record<string, string | number | undefined> };
  reportStreamError: (error: unknown) => void;
};
type ExportFile = { resource: ResourceName; format: ExportFormat };

/** The error of a part that is not the first. The query was valid: an attribute has another type now. */
function asInterruption(error: unknown): unknown {
  return error instanceof Problem
    ? new Error(`an export ended early: ${error.code}`, { cause: error })
    : error;
}

/**
 * The rows of a resource that match the query, as parts of one text. Each part is read by `read`, in its own snapshot, when
 * it is requested: a row that changes its position during the export can be in it twice, or not at all. `hasEndLine`: JSON
 * lines end in the line of `formatEndLine`. Throws what `read` throws.
 */
export async function* exportText(
  read: <T>(fn: (snapshot: TenantSnapshot) => Promise<T>) => Promise<T>,
  { resource, query, format, hasEndLine }: ExportFile & { query: ExportQuery; hasEndLine: boolean },
): AsyncGenerator<string, void> {
  const present = presenterOfExport(resource);
  const names = format === "csv" ? await read((snapshot) => readAttributeColumns(snapshot, resource)) : [];
  const columns = [...columnsOf(resource), ...addedColumns(wantedMembers(query)), ...names];
  let header = formatHeader(format, columns);
  let rowCount = 0;
  let pageSize = maxRowsOfPart;
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: PageRequest = { page: 1, pageSize, cursor };
    const { rows, included, pagination } = await read((snapshot) =>
      pageReaders[resource](snapshot, { ...query, ...page }),
    ).catch((error: unknown) => {
      throw cursor === "" ? error : asInterruption(error);
    });
    const text = formatRows(
      format,
      columns,
      rows.map((row, i) => present(row, included[i])),
    );
    const fitting = Math.floor((rows.length * partLength) / text.length);
    pageSize = Math.min(Math.max(fitting, 1), maxRowsOfPart);
    // Read again with fewer rows.
    if (text.length > 2 * partLength && rows.length > 1) continue;
    yield header + text;
    header = "";
    rowCount += rows.length;
    cursor = "nextCursor" in pagination ? pagination.nextCursor : null;
  }
  if (hasEndLine) yield formatEndLine(rowCount);
}

async function sendExport(
  { tenant, query, request, set, reportStreamError }: ExportContext,
  file: ExportFile,
) {
  const { end, ...filters } = query;
  // Its cursors are not sent, so a random key suffices: the stored one would be written at its first use.
  const place = placeOfExport(file.resource, filters, tenant.now);
  const cursors = { cursor: "", ownKey: crypto.randomUUID(), place };
  const options = { ...file, query: filters, hasEndLine: end === "true" };
  const text = exportText((fn) => tenant.readList(cursors, fn), options);
  set.headers["content-type"] = mediaTypes[file.format];
  set.headers["content-disposition"] = `attachment; filename="${file.resource}.${file.format}"`;
  return streamText(
    { request, reportStreamError, waitForTurn: () => waitForTurn(tenant.organizationId) },
    text,
  );
}

/** The handler and the schemas of an export of accounts. */
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

/** The exports of the other resources, for the command `export`. */
export const subResourceExportRoutes = tenantRoutes("/operator/exports").get(
  "/:resource/:format",
  ({ params, tenant, query, request, set, reportStreamError }) =>
    sendExport({ tenant, query, request, set, reportStreamError }, params),
  { params: SubResourceExportPath, query: AccountJsonLinesQuery },
);
