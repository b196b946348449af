import { describeError, OperatorError, type OperatorErrorCode } from "../../core/settings/operator-error.ts";
import { pathOfInfinity } from "../../shared/numbers.ts";
import type { ResourceName } from "../../shared/resources.ts";
import {
  type FileLine,
  type RowResult,
  readRowResult,
  sendUniqueRows,
  type UpsertReply,
} from "../../shared/unique-rows.ts";
import { jsonOf, type Send } from "../client.ts";
import type { ImportMap } from "./map.ts";
import type { RejectedLines } from "./rejected.ts";
import type { ImportLine, ImportSource } from "./source.ts";

/** The rows of one request, which are stored in one transaction: some milliseconds, after which other writes run. */
const rowsPerPart = 200;
const maxPartLength = 262_144;

/** Where the rows of an import are sent to. `organization` is a name or an id. */
type RowTarget = { send: Send; organization: string; resource: ResourceName; isDryRun: boolean };
export type ImportCounts = { lines: number } & Record<RowResult["result"], number>;
type ImportTarget = RowTarget & {
  rejected: Pick<RejectedLines, "add">;
  /** Called after each part with the number of its last line. */
  onPart: (line: number) => void;
};

/**
 * Imports the lines of a source in parts. Rejected lines are appended to `rejected`, in order. Throws OperatorError when a
 * line cannot be read or a part cannot be stored; those before it are stored.
 */
export async function runImport(source: ImportSource, target: ImportTarget): Promise<ImportCounts> {
  const counts: ImportCounts = { lines: 0, created: 0, updated: 0, unchanged: 0, rejected: 0 };
  /** The line of each external id that was accepted. */
  const accepted = new Map<unknown, number>();
  let lines: ImportLine[] = [];
  let partLength = 0;
  let running = Promise.resolve();

  /** Sends the lines that were read. The next ones are read meanwhile. */
  async function sendPart(): Promise<void> {
    const part = lines;
    [lines, partLength] = [[], 0];
    await running;
    running = importPart(part);
    // An error is thrown by the next await.
    running.catch(() => {});
  }

  async function importPart(part: readonly ImportLine[]): Promise<void> {
    const last = part.at(-1);
    if (!last) return;
    const results = await sendUniqueRows(part, accepted, (rows) => sendRows(target, rows, part));
    for (const [i, result] of results.entries()) {
      const line = part[i];
      counts[result.result] += 1;
      if (line && result.result === "rejected")
        target.rejected.add(line.cells, line.line, explain(result.reason, source.accountColumn()));
    }
    target.onPart(last.line);
  }

  async function addLine(line: ImportLine): Promise<void> {
    counts.lines += 1;
    const length = "row" in line ? JSON.stringify(line.row).length : 0;
    const fault = faultOf(line, length);
    const sentLength = fault === undefined ? length : 0;
    if (partLength + sentLength > maxPartLength) await sendPart();
    lines.push(fault === undefined ? line : { line: line.line, cells: line.cells, fault });
    partLength += sentLength;
    if (lines.length === rowsPerPart) await sendPart();
  }

  let readError: unknown;
  const reading = source.lines[Symbol.asyncIterator]();
  for (;;) {
    // The lines before one that cannot be read are imported.
    const next = await reading.next().catch((error: unknown) => {
      readError = error;
      return { done: true, value: undefined } as const;
    });
    if (next.done) break;
    await addLine(next.value);
  }
  await sendPart();
  await running;
  if (readError !== undefined) throw readError;
  return counts;
}

/** Why a line is rejected before it is sent. JSON has null for a number that is not finite, which would clear the value. */
function faultOf(line: FileLine, length: number): string | undefined {
  if ("fault" in line) return line.fault;
  const { externalId } = line.row;
  if (externalId === undefined || externalId === null || externalId === "")
    return "the line has no externalId";
  const path = pathOfInfinity(line.row);
  if (path !== undefined) return `${path} must be a finite number`;
  return length > maxPartLength ? "the row has more than 256 KiB" : undefined;
}

/** The reason, with both ways to refer to an account if the column of the reference was guessed. */
function explain(reason: string, accountColumn: string | undefined): string {
  if (accountColumn === undefined || !/externalId in your|accountExternalId/.test(reason)) return reason;
  return `${reason.replace(/\.$/, "")}: ${accountColumn} is read as accountExternalId. For the id that accountd assigned, add --map "${accountColumn}=accountId"`;
}

async function sendRows(
  { send, organization, resource, isDryRun }: ImportTarget,
  rows: Readonly<Record<string, unknown>>[],
  [first]: readonly ImportLine[],
): Promise<RowResult[]> {
  const path = resource === "accounts" ? "/api/v1/accounts/batch" : `/operator/imports/${resource}`;
  try {
    const query = isDryRun ? "?dryRun=true" : "";
    const { data } = await jsonOf<{ data: { results: UpsertReply[] } }>(
      send(path + query, { method: "POST", organization, body: { [resource]: rows } }),
    );
    return data.results.map(readRowResult);
  } catch (error) {
    const { code, message } = describeError(error);
    throw new OperatorError(
      // Safe: no usage of a command is wrong here.
      code as OperatorErrorCode,
      `The import stopped at line ${first?.line}: ${message} Import the file again: the lines before it are unchanged then.`,
    );
  }
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
