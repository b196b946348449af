import { UnusableDatabase } from "../../db/errors.ts";
import { readDatabase } from "../config.ts";
import { daysUntilFinal } from "../core/event-limits.ts";
import { dayOf, formatNullable } from "../core/timestamps.ts";
import { isServerRunning } from "../server/operator-socket.ts";
import { storageOf } from "../server/storage.ts";
import { describeContents, unsupported } from "./backup.ts";
import { type Command, databaseOption } from "./command.ts";
import { ProgressBar, printResult } from "./output.ts";
import { eraseAgain, readErasureLog } from "./restored-erasures.ts";

export const restoreCommand: Command = {
  name: "restore",
  summary: "Replace the database of a stopped server by a backup, after checking the backup.",
  usage: "FILE [--force] [--database FILE]",
  arguments: ["The backup's FILE"],
  options: {
    force: { type: "boolean", description: "replace a database with data, which is kept under another name" },
    ...databaseOption,
  },
  examples: ["restore /var/backups/accountd/monday.db --force"],
  async run({ positionals: [backup = ""], flags }) {
    const { file } = await storageOf(readDatabase(flags));
    if (file === undefined) throw unsupported("pg_restore");
    if (await isServerRunning(file))
      throw new UnusableDatabase(`${file} is in use by another accountd. Stop it first.`);
    const bar = process.stderr.isTTY && !flags.json ? new ProgressBar("bytes copied") : undefined;
    let erasedAgain: number | undefined;
    const { restoreBackup } = await import("../../db/sqlite/backup/restore.ts");
    const { hasChecksum, contents, replaced, keys } = await restoreBackup(backup, file, {
      now: Date.now(),
      isForced: flags.force === true,
      firstCompleteDay: dayOf(Date.now()) - daysUntilFinal,
      onProgress: (done, total) => bar?.show(done, total),
      complete: async (copy, { old, newestChangeAt }) => {
        bar?.clear();
        const log = await readErasureLog(backup, newestChangeAt ?? 0);
        if (old !== undefined || log) erasedAgain = await eraseAgain(copy, { database: old, log });
      },
    });
    const { created = [], revoked = [] } = keys ?? {};
    const result = {
      database: file,
      backup,
      isChecksumVerified: hasChecksum,
      ...contents,
      newestChangeAt: formatNullable(contents.newestChangeAt),
      replaced: replaced ?? null,
      keysCreatedSince: created,
      keysRevokedSince: revoked,
      personsErasedAgain: erasedAgain ?? null,
    };
    const lines = [
      `${file} was restored from ${backup}: ${describeContents(contents)}.`,
      ...(hasChecksum ? [] : [`There is no ${backup}.sha256 to compare.`]),
      ...(replaced === undefined ? [] : [`The database before is ${replaced}.`]),
      ...created.map(
        (key) => `${describeKey(key)} was created after the backup and does not exist any more.`,
      ),
      ...revoked.map(
        (key) =>
          `${describeKey(key)} was revoked after the backup and is valid again: accountd keys revoke ${key.id}`,
      ),
      erasedAgain === undefined
        ? "Erase again the persons who were erased after the backup."
        : `Persons who were erased after the backup and are erased again: ${erasedAgain}.`,
    ];
    printResult(flags, result, lines.join("\n"));
  },
};

type DescribedKey = { id: number; organization: string; name: string; lastFour: string };

function describeKey({ id, organization, name, lastFour }: DescribedKey): string {
  return `Key ${id} of ${organization} (${name}, …${lastFour})`;
}
