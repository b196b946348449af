import type { Variant } from "../../support/variant.ts";

/** Of every proof in which a disk fails. */
export const swallowedCommit: Variant = {
  name: "a change is acknowledged although its commit failed",
  source: import.meta.path,
  replace: {
    "db/sqlite/file.ts": {
      openWriteConnection: (original) => (file, options) => {
        const connection = original.openWriteConnection(file, options);
        const execute = connection.execute.bind(connection);
        connection.execute = (sql) => {
          try {
            execute(sql);
          } catch (error) {
            if (sql !== "COMMIT") throw error;
          }
        };
        return connection;
      },
    },
  },
};
