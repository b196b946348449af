import { Database } from "bun:sqlite";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Outcome, PrintLine, Program, Proof, Scale } from "../support/proof.ts";
import type { Answer } from "./client.ts";
import { logsAddress, recordsRequestId, storesSecret } from "./controls/secrets.ts";
import { misuses } from "./misuses.ts";
import { Needles } from "./needles.ts";
import { atSite, type Site } from "./site.ts";

/**
 * The number of keys, the share of revoked ones, the share of misuses of each key, and the number of keys that are
 * misused while the service fails.
 */
const sizes = {
  short: { count: 8, revokedOneIn: 4, oneIn: 4, failing: 1 },
  long: { count: 1_000, revokedOneIn: 2, oneIn: 1, failing: 50 },
};
/** The number of concurrent commands. */
const together = 2;

type Key = { id: number; key: string };

async function run(program: Program, scale: Scale, printLine: PrintLine): Promise<Outcome> {
  const { count, revokedOneIn, oneIn, failing } = sizes[scale];
  const faults = new Set<string>();
  const tried = { keys: 0, requests: 0, revoked: 0, lines: 0, bytes: 0 };
  // With a log line for each request, which includes the lines of failures.
  await atSite(program, ["--log-requests"], async (site) => {
    const keys: Key[] = [];
    await inTurns(count, async (i) => {
      keys.push(await site.newKey(i % 2 === 0 ? "First" : "Second"));
    });
    const needles = new Needles(keys.map(({ key }) => key));
    const look: Look = (where, text) => {
      const found = needles.foundIn(text);
      if (found !== undefined) faults.add(`a key is in ${where}: …${found}…`);
    };
    await useAll(site, keys, 200);
    printLine(`${keys.length} keys made`);
    const ended = keys.filter((_, i) => i % revokedOneIn === 1);
    await inTurns(ended.length, async (i) => {
      const key = ended[i];
      if (key) look("what a command prints", await site.revoke(key.id));
    });
    await useAll(site, ended, 401);
    printLine(`${ended.length} keys revoked`);

    let requests = keys.length + ended.length;
    for (const [i, { key }] of keys.entries()) {
      const good = keys[(i + 2) % keys.length]?.key ?? "";
      const some = misuses(key, good).filter((_, j) => (i + j) % oneIn === 0);
      for (const { title, sent } of some) {
        const answer = await site.client.send(sent);
        requests++;
        if (answer.status < 300 && title.startsWith("instead")) faults.add(`one ${title} lets in`);
        lookAt(answer, title, look);
      }
    }
    requests += await failAll(site, keys.slice(0, failing), look);
    const bytes = lookAtFiles(site.cwd, look);
    await site.server.stop("SIGTERM");
    const lines = site.server.stderr().split("\n");
    // Bun rejects a few, without a log line.
    if (lines.length < requests * 0.9) throw new Error("the log does not have a line for each request");
    for (const line of [...lines, site.server.stdout()]) look("the log", line);
    const more = lookAtFiles(site.cwd, look);
    Object.assign(tried, { keys: keys.length, requests, revoked: ended.length });
    Object.assign(tried, { lines: lines.length, bytes: bytes + more });
  });
  return { tried, faults: [...faults] };
}

async function useAll({ client }: Site, keys: readonly Key[], status: number): Promise<void> {
  for (const { key } of keys) {
    const answer = await client.send({
      method: "GET",
      path: "/api/v1/accounts",
      headers: { "x-api-key": key },
    });
    if (answer.status !== status) throw new Error(`a key is answered ${answer.status}, not ${status}`);
  }
}

type Look = (where: string, text: string) => void;

function lookAt({ status, body }: Answer, title: string, look: Look): void {
  if (status >= 400) look(`the body of a ${status}, with one ${title}`, body.toString());
}

/** The same misuses while the service fails because a table was renamed: failures log the most. */
async function failAll({ client, database }: Site, keys: readonly Key[], look: Look): Promise<number> {
  const other = new Database(database);
  other.run("PRAGMA busy_timeout = 5000");
  other.run("ALTER TABLE contacts RENAME TO elsewhere");
  other.close();
  let requests = 0;
  let failures = 0;
  for (const { key } of keys) {
    for (const { title, sent } of misuses(key, keys[0]?.key ?? "")) {
      const answer = await client.send(sent);
      requests++;
      if (answer.status >= 500) failures++;
      lookAt(answer, title, look);
    }
  }
  if (failures === 0) throw new Error("the service did not fail");
  return requests;
}

/** Searches every file of the folder, and returns their size in bytes. */
function lookAtFiles(folder: string, look: Look): number {
  let bytes = 0;
  for (const name of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!name.isFile()) continue;
    const content = readFileSync(join(name.parentPath, name.name));
    bytes += content.byteLength;
    look(name.name, content.toString("latin1"));
  }
  if (bytes === 0) throw new Error("there was no file to look into");
  return bytes;
}

async function inTurns(count: number, work: (i: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: together }, lane));
}

export const secrets: Proof = {
  name: "secrets",
  claim: "No key is in the log, in the database's files or in an error, however it was used",
  run,
  controls: [logsAddress, storesSecret, recordsRequestId],
};
