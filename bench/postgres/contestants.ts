import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Contestant, contestants, onNode } from "../contestants.ts";

const modules = join(import.meta.dir, "../node_modules");

/** The contestants on PostgreSQL: all use the tables and the indexes of accountd. */
export const postgresContestants: Contestant[] = [
  ...contestants.filter(({ name }) => name === "accountd"),
  onPostgres("fastify", "Fastify 5, pg", onNode("fastify-postgres.mjs"), missingOfFastify),
];

function onPostgres(name: string, label: string, cmd: string[], missing: Contestant["missing"]): Contestant {
  return {
    name,
    label,
    data: "accountd",
    missing,
    command: (port, database) => ({
      cmd,
      // A time without an offset is UTC in any time zone of the machine.
      env: { PORT: String(port), DATABASE: database, NODE_ENV: "production", TZ: "UTC" },
    }),
  };
}

async function missingOfFastify(): Promise<string | undefined> {
  if (!Bun.which("node")) return "there is no node on the PATH";
  const absent = ["fastify", "pg"].find((name) => !existsSync(join(modules, name)));
  return absent === undefined ? undefined : `${absent} is not installed: npm ci in bench`;
}
