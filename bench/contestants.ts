import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Asked } from "./asked.ts";
import * as directus from "./directus/program.ts";
import { translate } from "./directus/translate.ts";

export type Contestant = {
  name: string;
  label: string;
  /** Whose tables it reads. */
  data: "accountd" | "before" | "plain" | "directus";
  /** Why it cannot run here, in a line; undefined when it can. */
  missing(): Promise<string | undefined>;
  /** The works it is there for; else all. */
  only?: readonly string[];
  /** The works that it has no equal of. */
  except?: readonly string[];
  /** It takes minutes to install and seconds to start: a quick run has it only when it is named. */
  isSlow?: boolean;
  /** A whole run can do without it. */
  isOptional?: boolean;
  /** Where it says that it is alive; else /livez. */
  alive?: string;
  /** What is asked of it instead, where its paths and bodies are its own; the key is then a bearer's. */
  translate?(asked: Asked): Asked;
  /** What starts it on a database, and the environment that it needs. */
  command(port: number, database: string): { cmd: string[]; env: Record<string, string> };
};

const here = import.meta.dir;
const binary = join(here, "../dist/accountd");
/** To measure a change: the binary without it, of the schema that the data is filled with. */
const earlierBinary = join(here, "../dist/accountd-before");

/** All do the same work to the same specification; see the files in `contestants/`. */
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
    // To create items of a collection neither finds an account by its external id, nor tells a duplicate from an
    // error, nor counts by day: that is other work.
    except: ["events"],
    isSlow: true,
    alive: "/server/ping",
    translate,
    command: (port, database) => directus.command("start", database, port),
  },
];

/** What is really sent to a contestant for what is asked, and in which header the key stands. */
export function sentTo({ translate }: Contestant, asked: Asked): Asked & { header: [string, string] } {
  return translate
    ? { ...translate(asked), header: ["authorization", `Bearer ${asked.key}`] }
    : { ...asked, header: ["x-api-key", asked.key] };
}

/** One that reads the plain tables. A change is on the disk before it is answered, as accountd's is. */
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
    // A time without an offset is UTC, whatever the machine's own is.
    TZ: "UTC",
  };
  return { cmd, env };
}

function onBun(file: string): string[] {
  return [process.execPath, "--no-env-file", join(here, "contestants", file)];
}

function onNode(file: string): string[] {
  return [Bun.which("node") ?? "node", join(here, "contestants", file)];
}

async function missingOfFastify(): Promise<string | undefined> {
  if (!Bun.which("node")) return "there is no node on the PATH";
  if (!existsSync(join(here, "node_modules/fastify"))) return "not installed: npm ci in bench";
  const native = join(here, "node_modules/better-sqlite3/build/Release/better_sqlite3.node");
  if (!existsSync(native)) return "better-sqlite3 is not built: npm rebuild better-sqlite3 in bench";
  // What was built for another version of node is there, and cannot be loaded.
  const load = `process.dlopen({ exports: {} }, ${JSON.stringify(native)})`;
  const tried = await Bun.$`node -e ${load}`.nothrow().quiet();
  return tried.exitCode === 0 ? undefined : "better-sqlite3 is built for another version of node: npm ci";
}
