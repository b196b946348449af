import { readDatabase } from "../config.ts";
import { LoggedError, OperatorError, UsageError } from "../core/settings/operator-error.ts";
import { fileEncodings } from "../shared/imports/encodings.ts";
import { fileRows } from "../shared/resources.ts";
import { withClient } from "./client.ts";
import type { Command } from "./command.ts";
import { databaseOption, readOrganization, readResource } from "./options.ts";

export const importCommand: Command = {
  name: "import",
  summary: "Create and update rows from a CSV file or JSON lines, by your own ids.",
  usage:
    "FILE|- --organization NAME|ID [--resource NAME] [--map COLUMN=FIELD,...] [--values COLUMN:VALUE=OTHER,...] [--decimal point|comma] [--dates iso|dmy|mdy] [--empty keep|clear] [--no-guess] [--encoding NAME] [--dry-run] [--strict] [--end]",
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
      value: "COLUMN=FIELD,...",
      joinedBy: ",",
      description:
        "what columns are imported as: COLUMN= is not imported, #3 is the third column; the others are guessed by their names and values",
    },
    values: {
      type: "string",
      value: "COLUMN: VALUE=OTHER,...",
      joinedBy: ";",
      description: "what values of a column are replaced by; a value without OTHER counts as empty",
    },
    decimal: {
      type: "string",
      value: "point|comma",
      description: "how numbers are written: 1,250.50 or 1.250,50 (default: as the first rows show)",
    },
    dates: {
      type: "string",
      value: "iso|dmy|mdy",
      description:
        "how dates are written: 2026-11-01, 01.11.2026 or 11/01/2026 (default: as the first rows show)",
    },
    empty: {
      type: "string",
      value: "keep|clear",
      description:
        "whether an empty cell keeps the stored value (default) or clears it, where it can be empty",
    },
    encoding: {
      type: "string",
      value: "NAME",
      description: `the encoding of a file without a byte-order mark: ${fileEncodings.join(", ")} (default utf-8)`,
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
    'import ./crm.csv --organization Acme --decimal comma --dates dmy --values "Status: Cancelled=churned, trialing=onboarding"',
    "import ./people.csv --organization Acme --resource contacts --dry-run",
    "export --organization Acme | accountd import - --organization Beta",
  ],
  async run({ positionals: [argument = ""], flags }) {
    const resource = readResource(flags, fileRows);
    const organization = readOrganization(flags);
    const database = readDatabase(flags);
    // Loaded here, because they take time to load.
    const { readEncoding, readMap } = await import("./import/options.ts");
    const { openImport } = await import("./import/source.ts");
    const { beginImport, runImport } = await import("./import/run.ts");
    const { RejectedLines } = await import("./import/rejected.ts");
    const { createReport } = await import("./import/report.ts");
    const { withInputFile } = await import("./import/stdin.ts");
    const encoding = readEncoding(flags);
    const chosen = readMap(flags, resource);
    const isDryRun = flags["dry-run"] === true;
    await withInputFile(argument, ({ path, rejectedPath }) =>
      withClient(database, "exclusive", async (send) => {
        const target = { send, organization, resource, isDryRun };
        const attributeTypes = await requireListed(beginImport(target));
        const map = { ...chosen, attributeTypes };
        const source = await openImport(path, map, { demandsEndLine: flags.end === true, encoding });
        const report = await createReport(path, resource, flags);
        report.start(source);
        const rejected = new RejectedLines(rejectedPath, source, { resource, isDryRun });
        try {
          const counts = await runImport(source, { ...target, rejected, onPart: report.onPart });
          report.finish(counts, source, rejected);
          const hasAccepted = counts.created + counts.updated + counts.unchanged > 0;
          if (counts.rejected > 0 && (flags.strict || !hasAccepted)) throw new LoggedError();
        } finally {
          report.clear();
          rejected.close();
        }
      }),
    );
  },
};

/** Rejects with UsageError where `opening` finds no organization of the name. */
export async function requireListed<T>(opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    if (!(error instanceof OperatorError) || error.code !== "not_found") throw error;
    throw new UsageError(error.message, "unknown_organization");
  }
}
