import { wantedMembers } from "../accounts/included.ts";
import { readsScores } from "../accounts/list.ts";
import type { Tenant } from "../core/tenant/tenant.ts";
import { tenantRoutes } from "../http/guard/guard.ts";
import { requires } from "../http/guard/required-scope.ts";
import { replies } from "../http/replies/replies.ts";
import { streamText } from "../http/replies/stream-text.ts";
import type { ResourceName } from "../shared/resources.ts";
import type { ExportFormat } from "./formats.ts";
import {
  AccountExportQuery,
  type AccountExportQueryValues,
  AccountJsonLinesQuery,
  SubResourceExportPath,
} from "./input.ts";
import { exportReply, mediaTypes } from "./model.ts";
import { exportText, placeOfExport } from "./store.ts";

type ExportContext = {
  tenant: Tenant;
  query: AccountExportQueryValues;
  request: Request;
  set: { headers: Record<string, string | number | undefined> };
  reportStreamError: (error: unknown) => void;
};
type ExportFile = { resource: ResourceName; format: ExportFormat };

async function sendExport(
  { tenant, query, request, set, reportStreamError }: ExportContext,
  file: ExportFile,
) {
  const { end, ...filters } = query;
  // Its cursors are not sent, so a random key suffices: the stored one would be written at its first use.
  const place = placeOfExport(file.resource, filters);
  const cursors = { cursor: "", ownKey: crypto.randomUUID(), place };
  const options = { ...file, query: filters, hasEndLine: end === "true" };
  const text = exportText((fn) => tenant.readList(cursors, fn), options);
  set.headers["content-type"] = mediaTypes[file.format];
  set.headers["content-disposition"] = `attachment; filename="${file.resource}.${file.format}"`;
  return streamText({ request, reportStreamError }, text);
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
    detail: {
      tags: ["Accounts"],
      security: requires("read"),
      operationId: format === "csv" ? "exportAccountsAsCsv" : "exportAccountsAsJsonLines",
      summary: format === "csv" ? "Export accounts as CSV" : "Export accounts as JSON lines",
      description: "All accounts that match the filters, in one stream.",
    },
  };
  return { handler, schemas };
}

const csv = exportOf("csv");
const jsonl = exportOf("jsonl");

/** The exports of accounts. */
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
