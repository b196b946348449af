import { UnusableDatabase } from "../../db/errors.ts";
import type { KeyName } from "../../db/sqlite/backup/keys.ts";
import { readDatabase } from "../config.ts";
import { daysUntilFinal } from "../core/event-limits.ts";
import { fold } from "../core/folding.ts";
import { dayOf, formatNullable } from "../core/timestamps.ts";
import { erasureLogName } from "../server/erasure-log.ts";
import { isServerRunning } from "../server/operator-socket.ts";
import { storageOf } from "../server/storage.ts";
import { describeContents, unsupported } from "./backup.ts";
import type { Command } from "./command.ts";
import { databaseOption } from "./options.ts";
import { createProgressBar, printResult } from "./output.ts";
import { eraseAgain, erasedContactsOf, readErasureLog } from "./restored-erasures.ts";

export const restoreCommand: Command = {
  name: "restore",
  summary: "Replace the database of a stopped server by a backup, after checking the backup.",
  usage: "FILE [--force] [--organization NAME|ID] [--database FILE]",
  arguments: ["The backup's FILE"],
  options: {
    force: { type: "boolean", description: "replace a database with data, which is kept under another name" },
    organization: {
      type: "string",
      value: "NAME|ID",
      description: "add one organization of the backup to the database, which must not have it",
    },
    ...databaseOption,
  },
  examples: [
    "restore /var/backups/accountd/monday.db --force",
    "restore /var/backups/accountd/monday.db --organization Acme",
  ],
  async run({ positionals: [backup = ""], flags }) {
    const { file } = await storageOf(readDatabase(flags));
    if (file === undefined) throw unsupported("pg_restore");
    if (await isServerRunning(file))
      throw new UnusableDatabase(`${file} is in use by another accountd. Stop it first.`);
    const bar = createProgressBar("bytes copied", flags);
    const log = readErasureLog(backup);
    let erasedAgain: number | undefined;
    const complete = async (copy: string, old?: string) => {
      bar?.clear();
      const contactIds = old === undefined ? undefined : await erasedContactsOf(old);
      if (contactIds || log) erasedAgain = await eraseAgain(copy, { contactIds, log });
    };
    const options = {
      firstCompleteDay: dayOf(Date.now()) - daysUntilFinal,
      onProgress: (done: number, total: number) => bar?.show(done, total),
      complete,
    };
    const resultOf = (isChecksumVerified: boolean, restored: object) => ({
      ...{ database: file, backup, isChecksumVerified, ...restored },
      personsErasedAgain: erasedAgain ?? null,
    });
    const { restoreBackup, restoreOrganization } = await import("../../db/sqlite/backup/restore.ts");
    if (flags.organization !== undefined) {
      const organization = String(flags.organization).trim();
      const { hasChecksum, ...restored } = await restoreOrganization(backup, file, {
        organization: { text: organization, foldedName: fold(organization) },
        ...options,
      });
      const text = `Organization ${restored.id}, ${restored.name}, was restored from ${backup}: ${restored.rows} rows.`;
      return printResult(
        flags,
        resultOf(hasChecksum, restored),
        [text, unknownRevocations, describeErasures(erasedAgain, log)].join("\n"),
      );
    }
    const { hasChecksum, contents, replaced, keys } = await restoreBackup(backup, file, {
      now: Date.now(),
      isForced: flags.force === true,
      ...options,
    });
    const result = resultOf(hasChecksum, {
      ...contents,
      newestChangeAt: formatNullable(contents.newestChangeAt),
      replaced: replaced ?? null,
      keysCreatedSince: keys?.created ?? null,
      keysRevokedSince: keys?.revoked ?? null,
    });
    const lines = [
      `${file} was restored from ${backup}: ${describeContents(contents)}.`,
      ...(hasChecksum ? [] : [`There is no ${backup}.sha256 to compare.`]),
      ...(replaced === undefined ? [] : [`The database before is ${replaced}.`]),
      ...(keys ? [] : [unknownRevocations]),
      ...(keys?.created ?? []).map(
        (key) => `${describeKey(key)} was created after the backup and does not exist any more.`,
      ),
      ...(keys?.revoked ?? []).map(
        (key) =>
          `${describeKey(key)} was revoked after the backup and is valid again: accountd keys revoke ${key.id}`,
      ),
      describeErasures(erasedAgain, log),
    ];
    printResult(flags, result, lines.join("\n"));
  },
};

const unknownRevocations = "Keys that were revoked after the backup are valid again: revoke them.";

function describeErasures(
  count: number | undefined,
  log: { unreadableLineCount: number } | undefined,
): string {
  if (count === undefined) return "Erase again the persons who were erased after the backup.";
  const text = `Persons who were erased after the backup and are erased again: ${count}.`;
  if (!log)
    return `${text} Without ${erasureLogName} next to the backup, persons without a contact are not found.`;
  const { unreadableLineCount } = log;
  return unreadableLineCount > 0
    ? `${text} Lines of ${erasureLogName} that cannot be read: ${unreadableLineCount}.`
    : text;
}

function describeKey({ id, organization, name, lastFour }: KeyName): string {
  return `Key ${id} of ${organization} (${name}, …${lastFour})`;
}
