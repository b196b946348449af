import { join } from "node:path";
import { scopes } from "../../src/core/tenant/scopes.ts";
import { folder, output, start } from "../binary/binary.ts";
import type { Reply } from "../faults/raw-connection.ts";
import type { Program } from "../support/proof.ts";
import { Client, type Sent } from "./client.ts";

/**
 * The running program, with a database of two organizations with a key of all scopes each. Failed authentications are
 * not limited, because requests with many invalid keys come from one address.
 */
export type Site = Awaited<ReturnType<typeof openSite>>;

async function openSite(program: Program, words: readonly string[]) {
  const cwd = folder();
  await output(["organizations", "create", "First"], { cwd, program });
  await output(["organizations", "create", "Second"], { cwd, program });
  const newKey = async (organization: string) => {
    const options = ["--json", "--organization", organization, "--scope", scopes.join(",")];
    const made = await output(["keys", "create", ...options], { cwd, program });
    // Safe: it is what the command prints with --json.
    return JSON.parse(made) as { id: number; key: string };
  };
  const [first, second] = [await newKey("First"), await newKey("Second")];
  const settings = ["--port", "0", "--auth-failure-limit", "0"];
  const server = await start(["serve", ...settings, ...words], { cwd, program });
  const port = Number(new URL(server.url).port);
  const client = new Client(port);
  return {
    cwd,
    database: join(cwd, "data/accountd.db"),
    server,
    port,
    client,
    first: first.key,
    second: second.key,
    newKey,
    revoke: (id: number) => output(["keys", "revoke", String(id)], { cwd, program }),
    /** Sends a request with a key and returns `data` of the reply. Throws unless it succeeds. */
    async make(key: string, method: string, path: string, body: object): Promise<{ id: number }> {
      const answer = await client.send(sentWith(key, { method, path, body: JSON.stringify(body) }));
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${textOf(answer)}`);
      return JSON.parse(answer.body.toString()).data;
    },
  };
}

/** Runs `work` with a new site, which is closed after it. */
export async function atSite<T>(
  program: Program,
  words: readonly string[],
  work: (site: Site) => Promise<T>,
): Promise<T> {
  const site = await openSite(program, words);
  try {
    return await work(site);
  } finally {
    site.client.close();
    if (site.server.isRunning()) await site.server.stop("SIGKILL");
  }
}

/** The request with a key and, if it has a body, its content-type. */
export function sentWith(key: string, { headers, ...sent }: Sent): Sent {
  const kind = sent.body !== undefined && { "content-type": "application/json" };
  return { ...sent, headers: { "x-api-key": key, ...kind, ...headers } };
}

/** A reply as one line, for a fault. */
export function textOf({ status, body }: Reply): string {
  return `${status} ${body.toString().slice(0, 300)}`;
}
