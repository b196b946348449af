import { existsSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseContents } from "../../db/sqlite/backup/contents.ts";
import { childEnvironment, ownProgram } from "../../db/sqlite/readers/reader-process.ts";
import { inheritedEnvironment, readDatabase } from "../config.ts";
import { daysUntilFinal } from "../core/event-limits.ts";
import { LoggedError, OperatorError, UsageError } from "../core/settings/operator-error.ts";
import { serverSettings } from "../core/settings/settings.ts";
import { dayOf, formatNullable } from "../core/timestamps.ts";
import { storageOf } from "../server/storage.ts";
import { parseBucket, uploadBackup } from "./backup-upload.ts";
import type { Command, Invocation } from "./command.ts";
import { databaseOption, readChoice } from "./options.ts";
import { createProgressBar, printError, printResult, writePart } from "./output.ts";
import { withTemporaryFolder } from "./temporary-folder.ts";

export const backupCommand: Command = {
  name: "backup",
  summary: "Copy a database in use to a file, and check the copy.",
  usage: "FILE|- [--compress zstd] [--backup-to URL] [--database FILE]",
  arguments: ["The backup's FILE, or -,"],
  options: {
    compress: { type: "string", value: "zstd", description: "compress the backup" },
    "backup-to": {
      type: "string",
      value: "URL",
      description:
        "upload the backup to s3://BUCKET/PREFIX, too; AWS_ACCESS_KEY_ID and others as for the server",
    },
    "backup-keep": {
      type: "string",
      value: "N",
      description: "how many backups accountd-….db are kept there (default 14)",
    },
    ...databaseOption,
  },
  examples: ["backup /var/backups/accountd/monday.db", "backup - --compress zstd > monday.db.zst"],
  async run({ positionals: [target = ""], flags }) {
    const isCompressed = readChoice(flags, "compress", ["zstd"]) !== undefined;
    const { "backup-to": url, "backup-keep": keep } = flags;
    if (url !== undefined) parseBucket(String(url));
    const { parse, default: defaultKeep } = serverSettings["backup-keep"];
    const keepCount = parse(typeof keep === "string" ? keep : defaultKeep, "--backup-keep");
    if (url !== undefined && target === "-") throw new UsageError("--backup-to needs a FILE.");
    const { file } = await storageOf(readDatabase(flags));
    if (file === undefined) throw unsupported("pg_dump");
    if (target === "-") return printBackup(file, flags);
    const bar = createProgressBar("bytes copied", flags);
    const { makeBackup } = await import("../../db/sqlite/backup/make.ts");
    const { bytes, sha256, contents } = await makeBackup(file, target, {
      isCompressed,
      firstCompleteDay: dayOf(Date.now()) - daysUntilFinal,
      onProgress: (done, total) => bar?.show(done, total),
      onCheck: () => {
        bar?.clear();
        if (!flags.json) printError("The copy is complete and is checked now.");
      },
    });
    if (url !== undefined) await uploadBackup(target, String(url), keepCount);
    const newestChangeAt = formatNullable(contents.newestChangeAt);
    const result = { database: file, backup: target, bytes, sha256, ...contents, newestChangeAt };
    const text = `${target}: ${bytes} bytes, ${describeContents(contents)}. SHA-256: ${sha256}`;
    printResult(flags, result, text);
  },
};

/** Makes the backup in a process of its own: a copy blocks the event loop, so that a signal would not end the command. */
function printBackup(file: string, flags: Invocation["flags"]): Promise<void> {
  return withTemporaryFolder(async (folder) => {
    const path = join(folder, "backup");
    const options = [...(flags.json ? ["--json"] : []), ...(flags.compress ? ["--compress", "zstd"] : [])];
    const program = ownProgram(new URL("../main.ts", import.meta.url));
    const child = Bun.spawn([...program, "backup", path, "--database", file, ...options], {
      argv0: process.execPath,
      env: { ...inheritedEnvironment(), ...childEnvironment },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const output = await new Response(child.stdout).text();
    const code = await child.exited;
    if (child.signalCode !== null) throw new Error(`The process of the backup ended: ${child.signalCode}.`);
    if (!flags.json && existsSync(`${path}.faulty`))
      printError("The copy in TMPDIR is removed. Run accountd backup FILE to keep it.");
    if (code !== 0) throw new LoggedError();
    for await (const part of Bun.file(path).stream()) await writePart(part);
    if (!flags.json) return printError(output.trim().replace(path, "-"));
    const { backup, ...result } = JSON.parse(output);
    printError(JSON.stringify(result));
  });
}

/** What a file has, for people. */
export function describeContents(contents: DatabaseContents): string {
  const { organizations, accounts, keys, changes, newestChangeAt } = contents;
  const newest = newestChangeAt === null ? "" : `, the newest of ${formatNullable(newestChangeAt)}`;
  return `${organizations} organizations, ${accounts} accounts, ${keys} keys, ${changes} changes${newest}`;
}

export function unsupported(program: string): OperatorError {
  return new OperatorError("unsupported_operation", `The database is not a SQLite file. Use ${program}.`);
}
