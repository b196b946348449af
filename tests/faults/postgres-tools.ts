import { existsSync } from "node:fs";
import { join } from "node:path";
import { codeBlocks, sectionOf } from "../documents/documents.ts";
import { bash } from "../support/bash.ts";
import type { PostgresServer } from "../support/postgres-server.ts";
import type { Program } from "../support/proof.ts";

const folders = [Bun.env.TEST_POSTGRES_BIN, ...[18, 17].map((major) => `/usr/lib/postgresql/${major}/bin`)];

const found = folders.find((folder) => folder && existsSync(join(folder, "pg_basebackup")));

/** Why the tools cannot be run: the npm package of PostgreSQL lacks them. */
export const whyNoTools = () =>
  found
    ? undefined
    : "pg_dump, pg_basebackup and a server of PostgreSQL 17 or newer are needed: install Debian's postgresql-17, or name their folder in TEST_POSTGRES_BIN";

/**
 * The folder of a PostgreSQL server of a supported version with its tools: `TEST_POSTGRES_BIN`, or that of a Debian
 * package. Throws when there is none.
 */
export function postgresTools(): string {
  if (found) return found;
  throw new Error(whyNoTools());
}

/** The blocks of shell commands of a section of the document. */
export function documentedCommands(heading: string): string[] {
  return codeBlocks(sectionOf("docs/operations.md", heading), "sh");
}

export type Place = { server: PostgresServer; program: Program; replaced: Readonly<Record<string, string>> };

/**
 * Runs documented commands with the tools on a server. `replaced`: texts of the document, such as paths, and what they
 * are here. Rejects with the error output of the first command that fails.
 */
export function runDocumented(
  commands: string,
  { server, program, replaced }: Place,
  standIns = "",
): Promise<string> {
  let script = commands;
  const names = { "@db.internal/": `@127.0.0.1:${server.port}/`, "db.internal": "127.0.0.1", ...replaced };
  for (const [name, value] of Object.entries(names)) script = script.replaceAll(name, value);
  return bash(`accountd() { $ACCOUNTD "$@"; }\n${standIns}\nset -e\n${script}`, {
    PATH: `${postgresTools()}:${Bun.env.PATH}`,
    PGHOST: "127.0.0.1",
    PGPORT: String(server.port),
    PGUSER: "postgres",
    ACCOUNTD: program.join(" "),
  });
}
