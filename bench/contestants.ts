import { existsSync } from "node:fs";
import { join } from "node:path";

export type Contestant = {
  name: string;
  label: string;
  /** The schema of its tables. */
  data: "accountd" | "before" | "plain";
  /** The reason why it cannot run on this machine, or undefined. */
  missing(): Promise<string | undefined>;
  /** A whole run may omit it. */
  isOptional?: boolean;
  /** The command that starts it on a database, and its environment. */
  command(port: number, database: string): { cmd: string[]; env: Record<string, string> };
};

const here = import.meta.dir;
const binary = join(here, "../dist/accountd");
/** An earlier binary, to measure a change. Its schema is that of the filled data. */
const earlierBinary = join(here, "../dist/accountd-before");

/** All contestants implement the same specification; see the files in `contestants/`. */
export const contestants: Contestant[] = [
  {
    name: "accountd",
    label: "accountd",
    data: "accountd",
    missing: async () => (existsSync(binary) ? undefined : "not built: bun run build"),
    command: (port, database) => ({
      cmd: [binary, "serve", "--port", String(port), "--database", database],
      env: {},
    }),
  },
  {
    name: "before",
    label: "accountd before",
    data: "before",
    isOptional: true,
    missing: async () =>
      existsSync(earlierBinary) ? undefined : "no earlier binary: copy one to dist/accountd-before",
    command: (port, database) => ({
      cmd: [earlierBinary, "serve", "--port", String(port), "--database", database],
      env: {},
    }),
  },
  plain("floor", "Bun.serve and SQL by hand, nothing checked", onBun("floor.ts")),
  plain("fastify", "Fastify 5, better-sqlite3", onNode("fastify.mjs"), missingOfFastify),
];

/** A contestant with the plain tables. It replies to a write after the fsync, as accountd does. */
function plain(
  name: string,
  label: string,
  cmd: string[],
  missing: Contestant["missing"] = async () => undefined,
): Contestant {
  const command: Contestant["command"] = (port, database) => {
    // A time without an offset is UTC in any time zone of the machine.
    const env = { PORT: String(port), DATABASE: database, NODE_ENV: "production", TZ: "UTC" };
    return { cmd, env };
  };
  return { name, label, data: "plain", missing, command };
}

/** The command that runs a program of `contestants/` on Bun. */
export function onBun(file: string): string[] {
  return [process.execPath, "--no-env-file", join(here, "contestants", file)];
}

/** The same on Node. */
export function onNode(file: string): string[] {
  return [Bun.which("node") ?? "node", join(here, "contestants", file)];
}

async function missingOfFastify(): Promise<string | undefined> {
  if (!Bun.which("node")) return "there is no node on the PATH";
  if (!existsSync(join(here, "node_modules/fastify"))) return "not installed: npm ci in bench";
  const native = join(here, "node_modules/better-sqlite3/build/Release/better_sqlite3.node");
  if (!existsSync(native)) return "better-sqlite3 is not built: npm rebuild better-sqlite3 in bench";
  // A module that was built for another version of Node cannot be loaded.
  const load = `process.dlopen({ exports: {} }, ${JSON.stringify(native)})`;
  const tried = await Bun.$`node -e ${load}`.nothrow().quiet();
  return tried.exitCode === 0 ? undefined : "better-sqlite3 is built for another version of node: npm ci";
}
