import { UnusableDatabase } from "../../db/errors.ts";
import { parseDatabase } from "../config.ts";
import { OperatorError, UsageError } from "../core/settings/operator-error.ts";
import { storageOf } from "../server/storage.ts";
import type { Command, Invocation } from "./command.ts";
import { createProgressBar, printError, printResult } from "./output.ts";

export const copyCommand: Command = {
  name: "copy",
  summary: "Copy a database into an empty one, also of the other engine, and compare both.",
  usage: "--from FILE|URL --to FILE|URL",
  options: {
    from: { type: "string", value: "FILE|URL", description: "the database that is read, in one snapshot" },
    to: {
      type: "string",
      value: "FILE|URL",
      description: "the database that is written: without data, or the target of a copy that did not finish",
    },
  },
  examples: ["copy --from data/accountd.db --to postgres://accountd@db.internal/accountd"],
  async run({ flags }) {
    const [from, to] = [await namedStorage(flags, "from"), await namedStorage(flags, "to")];
    const isJson = flags.json === true;
    const bar = createProgressBar("rows read", flags);
    // Loaded here, because the schema takes time to load.
    const { copyAll } = await import("../../db/copy.ts");
    const source = await named("from", from.openCopySource(Date.now));
    try {
      const target = await named("to", to.openCopyTarget(Date.now));
      try {
        const { rowCounts, differing } = await copyAll(source, target, {
          onProgress: (done, total) => bar?.show(done, total),
          onTable: (name, rowCount) => {
            if (!bar && !isJson) printError(`${name}: ${rowCount} rows`);
          },
        });
        bar?.clear();
        if (differing.length > 0)
          throw new OperatorError(
            "copy_differs",
            `The copy differs from the source in ${differing.join(", ")}. Start again with an empty target.`,
          );
        const rows = Object.values(rowCounts).reduce((sum, count) => sum + count, 0);
        const text = `${from.name} was copied to ${to.name}: ${rows} rows, compared by count and hash.`;
        printResult(flags, { from: from.name, to: to.name, rows, tables: rowCounts }, text);
      } finally {
        await target.close();
      }
    } finally {
      await source.close();
    }
  },
};

function namedStorage(flags: Invocation["flags"], name: "from" | "to") {
  const value = flags[name];
  if (typeof value !== "string" || value === "") throw new UsageError(`--${name} FILE|URL is missing.`);
  return storageOf(parseDatabase(value, `--${name}`));
}

/** The messages of a database that cannot be opened advise the option of the other commands. */
async function named<T>(option: "from" | "to", opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    if (!(error instanceof UnusableDatabase)) throw error;
    throw new UnusableDatabase(error.message.replace(/--database(?: or DATABASE_URL)?/, `--${option}`));
  }
}
