import { readDatabase } from "../config.ts";
import { closestName } from "../core/did-you-mean.ts";
import { LoggedError, OperatorError, UsageError } from "../core/settings/operator-error.ts";
import type { ImportCounts } from "../shared/import-lines.ts";
import { type FileRows, fileRows } from "../shared/resources.ts";
import { withClient } from "./client.ts";
import { type Command, databaseOption, type Invocation } from "./command.ts";
import type { RejectedLines } from "./import/rejected.ts";
import type { ImportSource } from "./import/source.ts";
import { ProgressBar, print, printError } from "./output.ts";

export const importCommand: Command = {
  name: "import",
  summary: "Create and update rows from a CSV file or JSON lines, by your own ids.",
  usage:
    "FILE --organization NAME|ID [--resource NAME] [--map COLUMN=MEMBER,...] [--no-guess] [--dry-run] [--strict] [--end]",
  arguments: ["The FILE to import"],
  options: {
    organization: { type: "string", value: "NAME|ID", description: "the organization that gets the rows" },
    resource: {
      type: "string",
      value: "NAME",
      description: `the kind of the rows: ${fileRows.join(", ")} (default accounts)`,
    },
    map: {
      type: "string",
      value: "COLUMN=MEMBER,...",
      description:
        "what columns are imported as: COLUMN= is not imported, #3 is the third column; the others are guessed by their names and values",
    },
    "no-guess": { type: "boolean", description: "import the columns of --map only" },
    "dry-run": { type: "boolean", description: "check every line and store nothing" },
    strict: { type: "boolean", description: "exit with 1 if any line was rejected" },
    end: {
      type: "boolean",
      description:
        'import JSON lines only if they end in {"end":true,"rows":N}, as an export with end=true does',
    },
    ...databaseOption,
  },
  examples: [
    'import ./companies.csv --organization Acme --map "Symbol=externalId,Security=name,GICS Sector=attributes.sector"',
    "import ./people.csv --organization Acme --resource contacts --dry-run",
  ],
  async run({ positionals: [path = ""], flags }) {
    const resource = readResource(flags, fileRows);
    const organization = readOrganization(flags);
    const database = readDatabase(flags);
    // Loaded here, because they take time to load.
    const [{ parseMap }, { openImport }, { beginImport, runImport }, { RejectedLines }] = await Promise.all([
      import("./import/map.ts"),
      import("./import/source.ts"),
      import("./import/run.ts"),
      import("./import/rejected.ts"),
    ]);
    const entries = typeof flags.map === "string" ? parseMap(flags.map, resource) : [];
    const isDryRun = flags["dry-run"] === true;
    await withClient(database, "exclusive", async (send) => {
      const target = { send, organization, resource, isDryRun };
      const attributeTypes = await requireListed(beginImport(target));
      const map = {
        ...{ resource, entries, attributeTypes },
        isGuessed: flags["no-guess"] !== true,
        isResourceChosen: flags.resource !== undefined,
      };
      const source = await openImport(path, map, { demandsEndLine: flags.end === true });
      const report = await createReport(path, resource, flags);
      report.start(source);
      const rejected = new RejectedLines(path, source, { resource, isDryRun });
      try {
        const counts = await runImport(source, { ...target, rejected, onPart: report.onPart });
        report.finish(counts, source, rejected);
        const hasAccepted = counts.created + counts.updated + counts.unchanged > 0;
        if (counts.rejected > 0 && (flags.strict || !hasAccepted)) throw new LoggedError();
      } finally {
        report.clear();
        rejected.close();
      }
    });
  },
};

/** The value of `--resource`, one of `names`. Throws UsageError. */
export function readResource<Name extends string>(
  { resource = "accounts" }: Invocation["flags"],
  names: readonly Name[],
): Name {
  const found = names.find((name) => name === resource);
  if (found) return found;
  const closest = closestName(String(resource), names);
  const hint = closest === undefined ? "" : ` Did you mean ${closest}?`;
  throw new UsageError(`--resource must be ${names.join(", ")}.${hint}`);
}

/** The value of `--organization`. Throws UsageError when it is missing. */
export function readOrganization({ organization }: Invocation["flags"]): string {
  if (typeof organization === "string" && organization !== "") return organization;
  throw new UsageError("--organization NAME|ID is missing.");
}

/** Rejects with UsageError where `opening` finds no organization of the name. */
export async function requireListed<T>(opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    if (!(error instanceof OperatorError) || error.code !== "not_found") throw error;
    throw new UsageError(error.message, "unknown_organization");
  }
}

/** Prints the progress on a terminal, and what was imported at the end. */
async function createReport(path: string, resource: FileRows, flags: Invocation["flags"]) {
  const isJson = flags.json === true;
  const bar = process.stderr.isTTY && !isJson ? new ProgressBar("lines") : undefined;
  const lineCount = bar ? await (await import("./import/text.ts")).countLines(path) : 0;
  return {
    /** Prints the mapping of the columns before the first row is sent. */
    start({ mapping, unfilled, newStrings }: ImportSource): void {
      if (isJson) return;
      if (mapping.length > 0) printError(`Columns, imported as ${resource}:\n  ${mapping.join("\n  ")}`);
      if (unfilled.length > 0)
        printError(`Not filled, as --map says something else about their columns: ${unfilled.join(", ")}.`);
      if (newStrings.length > 0) printError(describeNewStrings(newStrings));
    },
    onPart: (line: number) => bar?.show(Math.min(line, lineCount), lineCount),
    clear: () => bar?.clear(),
    finish(counts: ImportCounts, source: ImportSource, rejected: RejectedLines): void {
      bar?.clear();
      const isDryRun = flags["dry-run"] === true;
      const ignored = source.ignored();
      const { newStrings, unfilled } = source;
      const rejectedFile = rejected.path;
      if (isJson) {
        const notes = { ignored, ...(unfilled.length > 0 && { unfilled }), newStrings };
        print(JSON.stringify({ resource, ...counts, ...notes, rejectedFile, isDryRun }, null, 2));
        return;
      }
      if (source.mapping.length === 0 && ignored.length > 0)
        printError(`Members that were not imported: ${ignored.join(", ")}.`);
      if (isDryRun)
        for (const { line, reason } of rejected.first)
          printError(`Line ${line}: ${reason.replace(/\.$/, "")}.`);
      if (rejectedFile !== null) printError(`Rejected lines with their reasons: ${rejectedFile}.`);
      print(summaryOf(resource, counts, isDryRun));
    },
  };
}

function describeNewStrings(members: readonly string[]): string {
  const types = members.map((member) => `${member}: string`).join(", ");
  return `New attributes: ${types}. For numbers write ${members[0]}:number, in the header or in --map.`;
}

function summaryOf(resource: string, counts: ImportCounts, isDryRun: boolean): string {
  const { lines, created, updated, unchanged, rejected } = counts;
  const text = `${lines} ${lines === 1 ? "line" : "lines"} of ${resource}: ${created} created, ${updated} updated, ${unchanged} unchanged, ${rejected} rejected`;
  return isDryRun ? `${text}. Nothing was stored: this was a dry run.` : `${text}.`;
}
