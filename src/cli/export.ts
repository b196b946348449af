import { errorCode } from "../../db/errors.ts";
import { readDatabase } from "../config.ts";
import { OperatorError, UsageError } from "../core/settings/operator-error.ts";
import { exportFormats, formulaModes } from "../exports/formats.ts";
import { fileRows } from "../shared/resources.ts";
import { withClient } from "./client.ts";
import type { Command } from "./command.ts";
import { requireListed } from "./import.ts";
import { databaseOption, readChoice, readOrganization, readResource } from "./options.ts";
import { writePart } from "./output.ts";

/** Of orders in which no row moves: `createdAt` does not change. */
const order = "sortBy=createdAt&sortOrder=asc";

const exportedNames = [...fileRows, "events"] as const;
const ordered: readonly string[] = ["events", "usage-days"];

export const exportCommand: Command = {
  name: "export",
  summary: "Write all rows of a resource as CSV or JSON lines.",
  usage:
    "--organization NAME|ID [--resource NAME] [--format csv|jsonl] [--end] [--bom] [--formulas escape|keep]",
  options: {
    organization: { type: "string", value: "NAME|ID", description: "the organization that has the rows" },
    resource: {
      type: "string",
      value: "NAME",
      description: `the kind of the rows: ${exportedNames.join(", ")} (default accounts)`,
    },
    format: {
      type: "string",
      value: "FORMAT",
      description: "csv or jsonl (default csv); of events only jsonl",
    },
    end: {
      type: "boolean",
      description: 'end JSON lines in {"end":true,"rows":N}, which import --end demands',
    },
    bom: {
      type: "boolean",
      description: "begin CSV with a byte-order mark, by which spreadsheets recognize UTF-8",
    },
    formulas: {
      type: "string",
      value: "MODE",
      description: "what CSV does with texts that are formulas: escape, by a leading ' (default), or keep",
    },
    ...databaseOption,
  },
  examples: [
    "export --organization Acme > accounts.csv",
    "export --organization Acme --resource contacts --format jsonl > contacts.jsonl",
    "export --organization Acme --resource events > events.jsonl",
    "export --organization Acme --resource usage-days > usage.csv",
  ],
  async run({ flags }) {
    const resource = readResource(flags, exportedNames);
    const isOfEvents = resource === "events";
    const format = readChoice(flags, "format", exportFormats) ?? (isOfEvents ? "jsonl" : "csv");
    if (isOfEvents && format !== "jsonl") throw new UsageError("--format of events must be jsonl.");
    const hasEndLine = flags.end === true;
    if (hasEndLine && format !== "jsonl") throw new UsageError("--end needs --format jsonl.");
    const mode = readChoice(flags, "formulas", formulaModes);
    const style = [...(flags.bom ? ["bom=true"] : []), ...(mode ? [`formulas=${mode}`] : [])];
    if (style.length > 0 && format !== "csv") throw new UsageError("--bom and --formulas need --format csv.");
    const organization = readOrganization(flags);
    const isInApi = resource === "accounts" || isOfEvents;
    const path = isInApi ? `/api/v1/${resource}.${format}` : `/operator/exports/${resource}/${format}`;
    await withClient(readDatabase(flags), "read", async (send) => {
      const query = [
        ...(ordered.includes(resource) ? [] : [order]),
        ...(hasEndLine ? ["end=true"] : []),
        ...style,
      ].join("&");
      const { body } = await requireListed(send(`${path}?${query}`, { organization }));
      for await (const bytes of bytesOf(body)) await writePart(bytes);
    });
  },
};

/** The parts of an export. Throws OperatorError when the connection to the server ends before the last one. */
async function* bytesOf(body: Response["body"]): AsyncGenerator<Uint8Array, void> {
  try {
    yield* body ?? [];
  } catch (error) {
    if (errorCode(error) !== "ECONNRESET") throw error;
    throw new OperatorError(
      "server_unreachable",
      "The export is incomplete: the server ended it. Export again.",
    );
  }
}
