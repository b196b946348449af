import type { components } from "../../../../../clients/typescript/src/schema.ts";
import type { ConsoleAttributeType } from "../../editing/attribute-types.ts";
import { withTypeNames } from "../../editing/member-text.ts";
import { type FileRecord, unescapeFormula } from "./csv.ts";
import { type ColumnMapping, nameOfTarget } from "./mapping.ts";

export type ImportedAccount = components["schemas"]["AccountUpsert"];
/** A row of a file: the account to send, or why it is rejected without a request. */
export type FileRow = { line: number; cells: readonly string[] } & (
  | { account: ImportedAccount }
  | { fault: string }
);

/** Reads the rows of a file. A second row with the external id of another would change the account at each import. */
export class RowReader {
  readonly #targets: readonly ColumnMapping[];
  readonly #lines = new Map<string, number>();

  constructor(targets: readonly ColumnMapping[]) {
    this.#targets = targets;
  }

  read(record: FileRecord): FileRow {
    if (!("cells" in record)) return { ...record, cells: [] };
    const { line, cells } = record;
    const read = readCells(this.#targets, cells);
    if ("fault" in read) return { line, cells, ...read };
    const first = this.#lines.get(read.account.externalId);
    if (first !== undefined) return { line, cells, fault: `line ${first} has the same externalId` };
    this.#lines.set(read.account.externalId, line);
    return { line, cells, ...read };
  }

  /** The account was rejected: a later row may have its external id. */
  release({ externalId }: ImportedAccount): void {
    this.#lines.delete(externalId);
  }
}

const numberText = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * The account of the cells of a record, by the rules of `accountd import`: an empty field is not sent, and the server
 * checks the values.
 */
export function readCells(
  targets: readonly ColumnMapping[],
  cells: readonly string[],
): { account: ImportedAccount } | { fault: string } {
  const isTooLong = cells.length > targets.length && cells.slice(targets.length).some((cell) => cell !== "");
  if (cells.length < targets.length || isTooLong)
    return { fault: `the line has ${cells.length} columns, the header ${targets.length}` };
  const members: Record<string, unknown> = {};
  const attributes: Record<string, unknown> = {};
  for (const [i, target] of targets.entries()) {
    const cell = cells[i] ?? "";
    if (!target || cell === "") continue;
    if (cell.includes("\uFFFD")) return { fault: "the line has bytes that are not UTF-8: convert the file" };
    if (cell.includes("\0")) return { fault: "the line has a NUL character" };
    const type = typeOf(target);
    const value = convertText(unescapeFormula(cell), type);
    if (value === undefined) return { fault: notConverted(nameOfTarget(target), type, cell) };
    if ("member" in target)
      members[target.member] = target.member === "status" ? String(value).toLowerCase() : value;
    else attributes[target.attribute] = value;
  }
  if (members.externalId === undefined) return { fault: "the line has no externalId" };
  if (Object.keys(attributes).length > 0) members.attributes = attributes;
  // Safe: it has an externalId; the server checks the other members.
  return { account: members as ImportedAccount };
}

function typeOf(target: NonNullable<ColumnMapping>): ConsoleAttributeType {
  if ("attribute" in target) return target.type;
  return target.member === "mrr" ? "number" : "string";
}

const booleans = new Map([
  ["true", true],
  ["false", false],
]);

/** The value of a text: undefined if it has none of the type. */
function convertText(text: string, type: ConsoleAttributeType): string | number | boolean | undefined {
  if (type === "string") return text;
  const trimmed = text.trim();
  if (type === "number") return numberText.test(trimmed) ? finite(Number(trimmed)) : undefined;
  return booleans.get(trimmed.toLowerCase());
}

/** Why a text is rejected for the type. Without the text. */
function notConverted(name: string, type: ConsoleAttributeType, text: string): string {
  if (type !== "number") return `${name} must be true or false`;
  const advice = /\d,\d/.test(text) ? " with a decimal point and without commas, such as 1250.5" : "";
  return `${name} must be a number${advice}`;
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}

/** Why the server rejects an account, in a line. The pointers begin with the index of the account in its request. */
export function reasonOf(problem: Readonly<Record<string, unknown>> | undefined): string {
  const errors = Array.isArray(problem?.errors) ? problem.errors : [];
  const reasons = errors.map(({ pointer = "", detail = "" }: { pointer?: string; detail?: string }) =>
    withTypeNames(`${pointer.replace(/^\/accounts\/\d+\/?/, "").replaceAll("/", ".")} ${detail}`.trim()),
  );
  return reasons.length > 0 ? reasons.join("; ") : String(problem?.detail ?? "the server rejects the row");
}
