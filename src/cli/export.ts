import { requireOrganization } from "../admin/operations.ts";
import { readDatabase } from "../config.ts";
import { type FileResource, fileResources } from "../core/file-resources.ts";
import { UsageError } from "../core/settings/operator-error.ts";
import { TenantSnapshot } from "../core/tenant/tenant.ts";
import { exportFormats } from "../exports/formats.ts";
import { type Command, databaseOption, expectArguments } from "./command.ts";
import { withDatabase } from "./database.ts";
import { readOrganization, readResource, requireListed } from "./import.ts";
import { writeText } from "./output.ts";

/** Of orders in which no row moves: `createdAt` does not change. */
const query = { sortBy: "createdAt", sortOrder: "asc" };

export const exportCommand: Command = {
  name: "export",
  summary: "Write all rows of a resource as CSV or JSON lines.",
  usage:
    "--organization NAME|ID [--resource accounts|contacts|meetings|requests] [--format csv|jsonl] [--end]",
  options: {
    organization: { type: "string", value: "NAME|ID", description: "the organization that has the rows" },
    resource: {
      type: "string",
      value: "NAME",
      description: `the kind of the rows: ${fileResources.join(", ")} (default accounts)`,
    },
    format: { type: "string", value: "FORMAT", description: "csv or jsonl (default csv)" },
    end: {
      type: "boolean",
      description: 'end JSON lines in {"end":true,"rows":N}, which import --end demands',
    },
    ...databaseOption,
  },
  examples: [
    "export --organization Acme > accounts.csv",
    "export --organization Acme --resource contacts --format jsonl > contacts.jsonl",
  ],
  async run({ positionals, flags }) {
    expectArguments(positionals, 0);
    const resource: FileResource = readResource(flags, fileResources);
    const { format: name = "csv" } = flags;
    const format = exportFormats.find((candidate) => candidate === name);
    if (!format) throw new UsageError("--format must be csv or jsonl.");
    const hasEndLine = flags.end === true;
    if (hasEndLine && format !== "jsonl") throw new UsageError("--end needs --format jsonl.");
    const nameOrId = readOrganization(flags);
    const { exportText } = await import("../exports/store.ts");
    await withDatabase(readDatabase(flags), async (reader) => {
      const { id } = await requireListed(requireOrganization(reader, nameOrId));
      // The cursors stay in this process.
      const cursorKey = crypto.randomUUID();
      const read = <T>(fn: (snapshot: TenantSnapshot) => Promise<T>) =>
        reader.read((snapshot) => fn(new TenantSnapshot(snapshot, id, cursorKey)));
      for await (const text of exportText(read, { resource, query, format, hasEndLine })) writeText(text);
    });
  },
};
