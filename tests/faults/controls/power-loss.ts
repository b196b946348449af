import type { Variant } from "../../support/variant.ts";

export const unsyncedCommits: Variant = {
  name: "commits are not synced",
  source: import.meta.path,
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
