import { copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import type { Variant } from "../../support/variant.ts";

const source = import.meta.path;
/** Long enough for a kill. */
const pauseMilliseconds = 1_000;

export const withoutWal: Variant = {
  name: "the backup is a copy of the file without the WAL",
  source,
  replace: {
    "db/sqlite/backup/copy-file.ts": {
      copyDatabaseFile: () => (file, target) => copyFileSync(file, target),
    },
  },
};

export const namedTooEarly: Variant = {
  name: "the backup has its name before it is complete",
  source,
  replace: {
    "db/sqlite/backup/copy-file.ts": {
      copyDatabaseFile: (original) => (file, target, options) => {
        original.copyDatabaseFile(file, target, options);
        const name = target.replace(/\.unfinished$/, "");
        const bytes = readFileSync(target);
        writeFileSync(name, bytes.subarray(0, bytes.length / 2));
        Bun.sleepSync(pauseMilliseconds);
        rmSync(name);
      },
    },
  },
};

export const unchecked: Variant = {
  name: "a backup is restored without a check",
  source,
  replace: {
    "db/sqlite/backup/checksum.ts": { verifyChecksum: () => async () => true },
    "db/sqlite/storage.ts": { checkDatabase: () => () => [] },
  },
};

export const replacedInTwoSteps: Variant = {
  name: "a restore moves the database away before the backup has its path",
  source,
  replace: {
    "db/sqlite/backup/replace.ts": {
      replaceDatabase: () => (file, next) => {
        const replaced = `${file}.replaced-now`;
        renameSync(file, replaced);
        Bun.sleepSync(pauseMilliseconds);
        renameSync(next, file);
        return replaced;
      },
    },
  },
};
