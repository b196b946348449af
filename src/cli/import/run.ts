import { describeError, OperatorError, type OperatorErrorCode } from "../../core/settings/operator-error.ts";
import {
  type FileLine,
  type ImportCounts,
  importLines,
  readRowResult,
  type UpsertReply,
} from "../../shared/imports/import-lines.ts";
import type { FileRows } from "../../shared/resources.ts";
import { jsonOf, type Send } from "../client.ts";
import type { ImportMap } from "./map.ts";
import type { RejectedLines } from "./rejected.ts";
import type { ImportSource } from "./source.ts";

/** The members by which a day of usage is stored once. */
const usageDayKey = ["externalId", "event", "day"];

/** Where the rows of an import are sent to. `organization` is a name or an id. */
type RowTarget = { send: Send; organization: string; resource: FileRows; isDryRun: boolean };
type ImportTarget = RowTarget & {
  rejected: Pick<RejectedLines, "add">;
  /** Called after each part with the number of its last line. */
  onPart: (line: number) => void;
};

/**
 * Imports the lines of a source. Rejected lines are appended to `rejected`, in order. Throws OperatorError when a line
 * cannot be read or a part cannot be stored; the parts before it are stored.
 */
export function runImport(
  source: ImportSource,
  { send, organization, resource, isDryRun, rejected, onPart }: ImportTarget,
): Promise<ImportCounts> {
  const path = resource === "accounts" ? "/api/v1/accounts/batch" : `/operator/imports/${resource}`;
  const query = isDryRun ? "?dryRun=true" : "";
  return importLines(source.lines, {
    ...(resource === "usage-days" && { keyNames: usageDayKey }),
    async send(lines) {
      const rows = lines.map(({ row }) => row);
      try {
        const { data } = await jsonOf<{ data: { results: UpsertReply[] } }>(
          send(path + query, { method: "POST", organization, body: { [resource]: rows } }),
        );
        return data.results.map((reply, i) => readRowResult(reply, lines[i]?.faults));
      } catch (error) {
        const { code, message } = describeError(error);
        throw new OperatorError(
          // Safe: no usage of a command is wrong here.
          code as OperatorErrorCode,
          `The import stopped at line ${lines[0]?.line}: ${message} Import the file again: the lines before it are unchanged then.`,
        );
      }
    },
    onRejected: (line, reason) => {
      const explained = explain(reason, source.accountColumn(), line);
      // The options of the command for the choices of the console.
      const text = explained.replace(/choose the (decimal|dates) /g, "add --$1 ");
      rejected.add(line.cells, line.line, text);
    },
    onPart: ({ line }) => onPart(line),
  });
}

/**
 * The reason, with both ways to refer to an account if the column of the reference was guessed. A cell of HubSpot can have
 * the ids of several companies.
 */
function explain(reason: string, accountColumn: string | undefined, line: FileLine): string {
  if (accountColumn === undefined || !/externalId in your|accountExternalId/.test(reason)) return reason;
  const start = `${reason.replace(/\.$/, "")}: ${accountColumn}`;
  const id = "row" in line ? line.row.accountExternalId : undefined;
  if (typeof id === "string" && id.includes(";"))
    return `${start} has several ids, keep the one of the account`;
  return `${start} is read as accountExternalId. For the id that accountd assigned, add --map "${accountColumn}=accountId"`;
}

/**
 * The types of the attributes that rows of the resource have, by name. Rejects with `not_found` when there is no such
 * organization.
 */
export function beginImport({
  send,
  organization,
  resource,
}: RowTarget): Promise<ImportMap["attributeTypes"]> {
  return jsonOf(send("/operator/imports", { method: "POST", organization, body: { resource } }));
}
