import type { Database } from "bun:sqlite";
import { closeSync, copyFileSync, openSync, rmSync } from "node:fs";
import type { Variant } from "../../support/variant.ts";

const source = import.meta.path;

/** A database connection of which some methods are replaced. */
function withMethods(client: Database, methods: Partial<Database>): Database {
  return new Proxy(client, {
    get(target, name) {
      const value: unknown = Reflect.get(name in methods ? methods : target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

export const statementsApart: Variant = {
  name: "each statement of an upgrade is committed by itself",
  source,
  replace: {
    "db/sqlite/migrate.ts": {
      migrate: (original) => (client, migrations, options) => {
        // Safe: `migrate` uses nothing of a transaction but this.
        const transaction = (fn: () => void) => ({ immediate: fn }) as never;
        original.migrate(withMethods(client, { transaction }), migrations, options);
      },
    },
  },
};

export const appliedBeforeRecorded: Variant = {
  name: "a migration is committed before it is recorded",
  source,
  replace: {
    "db/sqlite/migrate.ts": {
      migrate: (original) => (client, migrations, options) => {
        const run = (sql: string) => {
          const result = client.run(sql);
          if (!migrations.some((migration) => migration.sql === sql)) return result;
          client.run("COMMIT");
          // Longer than in a real program, so that some kill hits it.
          Bun.sleepSync(50);
          return client.run("BEGIN IMMEDIATE");
        };
        original.migrate(withMethods(client, { run }), migrations, options);
      },
    },
  },
};

export const copyNamedTooEarly: Variant = {
  name: "the copy has its name before it is complete",
  source,
  replace: {
    "db/sqlite/migrate.ts": {
      migrate: (original) => (client, migrations, options) => {
        const query = (sql: string) => {
          if (!sql.startsWith("VACUUM INTO")) return client.query(sql);
          const run = (temporary: string) => {
            rmSync(options.copyTo, { force: true });
            closeSync(openSync(options.copyTo, "wx", 0o600));
            Bun.sleepSync(300);
            client.query(sql).run(options.copyTo);
            copyFileSync(options.copyTo, temporary);
          };
          // Safe: the copy uses nothing of the statement but this.
          return { run } as never;
        };
        // Safe: it has the overloads of the method that it replaces.
        original.migrate(withMethods(client, { query: query as Database["query"] }), migrations, options);
      },
    },
  },
};

export const losesScores: Variant = {
  name: "an upgrade leaves the scores behind",
  source,
  replace: {
    "db/sqlite/migrations/list.ts": {
      migrations: ({ migrations }) =>
        migrations.map((migration) =>
          migration.name === "0007_scores_in_accounts"
            ? { ...migration, sql: migration.sql.replace(/^UPDATE accounts SET[^;]*;/m, "") }
            : migration,
        ),
    },
  },
};
