import { existsSync } from "node:fs";
import { join } from "node:path";
import * as directus from "./directus/program.ts";
import { translate } from "./directus/translate.ts";
import type { BenchRequest } from "./requests.ts";

export type Contestant = {
  name: string;
  label: string;
  /** The schema of its tables. */
  data: "accountd" | "before" | "plain" | "directus";
  /** The reason why it cannot run on this machine, or undefined. */
  missing(): Promise<string | undefined>;
  /** The works that it runs; all by default. */
  only?: readonly string[];
  /** The works that it does not support. */
  except?: readonly string[];
  /** Slow to install and to start: a quick run has it only if it is selected. */
  isSlow?: boolean;
  /** A whole run may omit it. */
  isOptional?: boolean;
  /** The path of its liveness probe; /livez by default. */
  alive?: string;
  /** Translates requests to its own paths and bodies. The key is then a bearer token. */
  translate?(request: BenchRequest): BenchRequest;
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
  plain("fastify-full", "Fastify 5, better-sqlite3", onNode("fastify.mjs"), missingOfFastify),
  {
    ...plain("fastify-normal", "the same, not waiting for the disk", onNode("fastify.mjs"), missingOfFastify),
    command: (port, database) => start(onNode("fastify.mjs"), port, database, "NORMAL"),
  },
  {
    ...plain(
      "fastify-each",
      "as fastify-full, each event stored by itself",
      onNode("fastify.mjs"),
      missingOfFastify,
    ),
    command: (port, database) => {
      const { cmd, env } = start(onNode("fastify.mjs"), port, database, "FULL");
      return { cmd, env: { ...env, EVENTS: "each" } };
    },
    only: ["events"],
  },
  plain("usual", "Elysia and Drizzle, as documented", onBun("usual.ts")),
  {
    name: "directus",
    label: "Directus 11",
    data: "directus",
    missing: directus.missing,
    // Creating items of a collection does not resolve external ids, detect duplicates or count by day.
    except: ["events"],
    isSlow: true,
    alive: "/server/ping",
    translate,
    command: (port, database) => directus.command("start", database, port),
  },
];

/** The request in the format of the contestant, and the header with the key. */
export function sentTo(
  { translate }: Contestant,
  request: BenchRequest,
): BenchRequest & { header: [string, string] } {
  return translate
    ? { ...translate(request), header: ["authorization", `Bearer ${request.key}`] }
    : { ...request, header: ["x-api-key", request.key] };
}

/** A contestant with the plain tables. It replies to a write after the fsync, as accountd does. */
function plain(
  name: string,
  label: string,
  cmd: string[],
  missing: Contestant["missing"] = async () => undefined,
): Contestant {
  const command: Contestant["command"] = (port, database) => start(cmd, port, database, "FULL");
  return { name, label, data: "plain", missing, command };
}

function start(cmd: string[], port: number, database: string, synchronous: "FULL" | "NORMAL") {
  const env = {
    PORT: String(port),
    DATABASE: database,
    SYNCHRONOUS: synchronous,
    NODE_ENV: "production",
    // A time without an offset is UTC in any time zone of the machine.
    TZ: "UTC",
  };
  return { cmd, env };
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
