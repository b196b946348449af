import type { Database } from "bun:sqlite";
import type { Variant } from "../../support/variant.ts";

const source = import.meta.path;

export const withoutQuickCheck: Variant = {
  name: "no file is checked for damage after an unclean shutdown",
  source,
  replace: {
    "db/sqlite/connection.ts": {
      Connection: ({ Connection }) =>
        class extends Connection {
          constructor(...parameters: ConstructorParameters<typeof Connection>) {
            super(...parameters);
            const { client } = this;
            const query = client.query.bind(client);
            client.query = ((sql: string) =>
              query(
                sql.replace(/^PRAGMA quick_check.*/, "SELECT 'ok' AS quick_check"),
              )) as typeof client.query;
          }
        },
    },
  },
};

export const newerIsAccepted: Variant = {
  name: "a newer database is taken for one of this version",
  source,
  replace: {
    "db/sqlite/migrate.ts": {
      checkMigrations: (original) => (client, migrations) =>
        isNewer(client, migrations) ? allApplied(migrations) : original.checkMigrations(client, migrations),
      migrate: (original) => (client, migrations, options) => {
        if (!isNewer(client, migrations)) original.migrate(client, migrations, options);
      },
    },
  },
};

export const foreignIsAccepted: Variant = {
  name: "another program's database is taken for an empty one",
  source,
  replace: {
    "db/sqlite/migrate.ts": {
      checkMigrations: (original) => (client, migrations) =>
        readPragma(client, "application_id") === 0
          ? allApplied(migrations)
          : original.checkMigrations(client, migrations),
      migrate: (original) => (client, migrations, options) => {
        client.run(`PRAGMA application_id = ${original.applicationId}`);
        original.migrate(client, migrations, options);
      },
    },
  },
};

function allApplied(migrations: readonly unknown[]) {
  return migrations.map(() => ({ sha256: "", applied_at: 0 }));
}

function isNewer(client: Database, migrations: readonly unknown[]): boolean {
  return readPragma(client, "user_version") > migrations.length;
}

function readPragma(client: Database, name: string): number {
  return Number(Object.values(client.query<Record<string, unknown>, []>(`PRAGMA ${name}`).get() ?? {})[0]);
}
