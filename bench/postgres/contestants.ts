import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Contestant, contestants, onBun, onNode } from "../contestants.ts";
import { slowFlushNameOf } from "./work.ts";

/** A contestant that does more in a create is measured in creates. */
const creates = ["create-1", "create-64", "create-64-organizations"];
const modules = join(import.meta.dir, "../node_modules");

/** The contestants on PostgreSQL: all use the tables and the indexes of accountd. */
export const postgresContestants: Contestant[] = [
  ...contestants.filter(({ name }) => name === "accountd"),
  onPostgres("fastify", "Fastify 5, pg", onNode("fastify-postgres.mjs"), missingOfFastify),
  {
    ...onPostgres(
      "fastify-changes",
      "as fastify, and stores the change and the counts",
      onNode("fastify-postgres.mjs"),
      missingOfFastify,
      { CHANGES: "record" },
    ),
    only: creates.flatMap((name) => [name, slowFlushNameOf(name)]),
  },
  onPostgres("usual", "Elysia and Drizzle, as documented", onBun("usual-postgres.ts")),
];

function onPostgres(
  name: string,
  label: string,
  cmd: string[],
  missing: Contestant["missing"] = async () => undefined,
  more: Record<string, string> = {},
): Contestant {
  return {
    name,
    label,
    data: "accountd",
    missing,
    command: (port, database) => ({
      cmd,
      // A time without an offset is UTC in any time zone of the machine.
      env: { PORT: String(port), DATABASE: database, NODE_ENV: "production", TZ: "UTC", ...more },
    }),
  };
}

async function missingOfFastify(): Promise<string | undefined> {
  if (!Bun.which("node")) return "there is no node on the PATH";
  const absent = ["fastify", "pg"].find((name) => !existsSync(join(modules, name)));
  return absent === undefined ? undefined : `${absent} is not installed: npm ci in bench`;
}
