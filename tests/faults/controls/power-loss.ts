import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { Variant } from "../../support/variant.ts";

const source = import.meta.path;

export const unsyncedCommits: Variant = {
  name: "commits are not synced",
  source,
  replace: {
    "db/sqlite/file.ts": {
      openWriteConnection: (original) => (file, options) => {
        const connection = original.openWriteConnection(file, options);
        connection.client.run("PRAGMA synchronous = NORMAL");
        return connection;
      },
    },
  },
};

export const unsyncedCheckpoint: Variant = {
  name: "the last checkpoint is not synced",
  source,
  replace: {
    "db/sqlite/file.ts": {
      openWriteConnection: (original) => (file, options) => {
        const connection = original.openWriteConnection(file, options);
        const execute = connection.execute.bind(connection);
        connection.execute = (sql) => {
          if (sql.startsWith("PRAGMA wal_checkpoint")) execute("PRAGMA synchronous = OFF");
          execute(sql);
        };
        return connection;
      },
    },
  },
};

export const unsyncedFolder: Variant = {
  name: "the folder made for the database is not synced",
  source,
  replace: {
    "db/sqlite/create.ts": {
      createDatabase: (original) => (file, migrations, now) => {
        // A folder that exists is not synced.
        mkdirSync(dirname(file), { recursive: true });
        return original.createDatabase(file, migrations, now);
      },
    },
  },
};
