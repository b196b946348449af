import { readFileSync, writeFileSync } from "node:fs";
import { parse } from "csv-parse/sync";
import { readMap } from "../../src/cli/import/options.ts";
import { RejectedLines } from "../../src/cli/import/rejected.ts";
import { describeColumn } from "../../src/cli/import/report.ts";
import { beginImport, runImport } from "../../src/cli/import/run.ts";
import { openImport } from "../../src/cli/import/source.ts";
import type { FileEncoding } from "../../src/shared/imports/encodings.ts";
import type { FileRows } from "../../src/shared/resources.ts";
import { operatorOf } from "../support/operator.ts";
import { temporaryFile, world } from "../support/world.ts";

type ImportSettings = {
  map?: string;
  resource?: FileRows;
  name?: string;
  isDryRun?: boolean;
  isGuessed?: boolean;
  isResourceChosen?: boolean;
  /** Further options of the command. */
  options?: Readonly<Record<string, string>>;
  onPart?: () => void;
  encoding?: FileEncoding;
  /** Default: the first one. */
  organizationId?: number;
};

/** A world into whose first organization texts are imported as files, as the command does. */
export async function importWorld() {
  const here = await world();
  const { send, importRows } = operatorOf(here.engine);

  async function importBytes(
    content: string | Uint8Array,
    {
      map,
      resource = "accounts",
      name = "file.csv",
      isDryRun = false,
      onPart = () => {},
      options = {},
      encoding,
      organizationId = here.first.id,
      ...choices
    }: ImportSettings = {},
  ) {
    const path = temporaryFile(name);
    writeFileSync(path, content);
    const target = { send, organization: String(organizationId), resource, isDryRun };
    const attributeTypes = await beginImport(target);
    const read = { ...readMap({ map, ...options }, resource), ...choices, attributeTypes };
    const source = await openImport(path, read, { encoding });
    const rejected = new RejectedLines(path, source, { resource, isDryRun });
    const counts = await runImport(source, { ...target, rejected, onPart });
    rejected.close();
    const rejectedBytes = rejected.path === null ? Buffer.alloc(0) : readFileSync(rejected.path);
    const rejectedEncoding = source.hasByteOrderMark ? "utf-8" : encoding;
    const rejectedText = new TextDecoder(rejectedEncoding, { ignoreBOM: true }).decode(rejectedBytes);
    const delimiter = source.header.separator;
    const table = rejectedText.replace(/^sep=.\n/, "");
    const lines = source.isJsonLines ? parseJsonLines(table) : parseTable(table, delimiter);
    return {
      counts,
      mapping: source.mapping.map(describeColumn),
      ignored: source.ignored(),
      unfilled: source.unfilled,
      notes: source.notes,
      missing: source.missing(),
      newAttributes: source.mapping.flatMap(({ field, type, isNew }) => (isNew ? [[field, type]] : [])),
      rejected: lines,
      rejectedText,
      rejectedBytes,
      /** Of a dry run, the first ones. */
      reasons: isDryRun
        ? rejected.first.map(({ line, reason }) => [line, reason])
        : lines.map(({ line, reason }) => [Number(line), reason]),
    };
  }

  /** The names of all accounts by external id. */
  async function names(): Promise<Map<string, string>> {
    const { text } = await here.call("GET", "/api/v1/accounts.jsonl?sortBy=createdAt");
    const rows = text.split("\n").filter(Boolean);
    return new Map(rows.map((row) => JSON.parse(row)).map(({ externalId, name }) => [externalId, name]));
  }

  /** The export of a resource as the command writes it. */
  async function exportText(organizationId: number, resource: FileRows, format: string, query = "") {
    const isInApi = resource === "accounts";
    const path = isInApi ? `/api/v1/accounts.${format}` : `/operator/exports/${resource}/${format}`;
    const order = resource === "usage-days" ? "" : "sortBy=createdAt&sortOrder=asc&";
    const reply = await send(`${path}?${order}${query}`, { organization: String(organizationId) });
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(await reply.bytes());
  }

  return { ...here, importBytes, importRows, exportText, names };
}

/** The rows of a file of rejected lines. A line that is too long has further cells before the own columns. */
function parseTable(text: string, delimiter: string): Record<string, string>[] {
  const [names = [], ...rows] = parse(text, { delimiter, relax_column_count: true });
  const ownIndex = names.length - 2;
  const cellOf = (cells: string[], i: number) => cells.at(i < ownIndex ? i : i - names.length) ?? "";
  return rows.map((cells) => Object.fromEntries(names.map((name, i) => [name, cellOf(cells, i)])));
}

function parseJsonLines(text: string): Record<string, string>[] {
  const lines = text
    .replace(/^\uFEFF/, "")
    .split("\n")
    .filter(Boolean);
  return lines.map((line) => JSON.parse(line));
}

export const nothing = { lines: 0, created: 0, updated: 0, unchanged: 0, rejected: 0 };
