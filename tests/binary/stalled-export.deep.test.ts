import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { statSync } from "node:fs";
import { closeAfterTest } from "../support/cleanup.ts";
import { binary } from "./build.ts";
import { service } from "./service.ts";

setDefaultTimeout(60_000);

/** More than the pipe and the sockets buffer. */
const accountCount = 8_000;
const logoLength = 2_000;
const roundCount = 60;
/** Each round writes a megabyte. */
const maxWalBytes = 40_000_000;

/** A database whose accounts have 16 MB, with a server or without one. */
async function databaseWithAccounts(hasServer: boolean): Promise<string> {
  const { database, server } = await service();
  if (!hasServer) await server.stop();
  const client = new Database(database, { readwrite: true });
  closeAfterTest(async () => client.close());
  const insert = client.prepare(
    "INSERT INTO accounts (organization_id, name, folded_name, mrr, status, logo_url, created_at, updated_at) VALUES (1, ?, ?, 0, 'active', ?, 0, 0)",
  );
  client.transaction(() => {
    for (let i = 0; i < accountCount; i += 1)
      insert.run(`Account ${i}`, `account ${i}`, "x".repeat(logoLength));
  })();
  client.run("PRAGMA wal_checkpoint(TRUNCATE)");
  return database;
}

/** Writes next to the export, as another program. Returns the size of the WAL. */
function writeMuch(database: string): number {
  const client = new Database(database, { readwrite: true });
  client.run("PRAGMA busy_timeout = 5000");
  for (let round = 0; round < roundCount; round += 1)
    client.run(`UPDATE accounts SET mrr = mrr + 1 WHERE id % 20 = ${round % 20}`);
  const { size } = statSync(`${database}-wal`);
  client.close();
  return size;
}

/** `accountd export` into a pipe that nobody reads before `readAll` is called. */
async function stalledExport(database: string) {
  const words = ["export", "--organization", "Acme", "--database", database, "--format", "jsonl", "--end"];
  const isRead = `${database}.is-read`;
  const script = `"$@" | { while [ ! -e "${isRead}" ]; do sleep 0.05; done; cat; }; exit "\${PIPESTATUS[0]}"`;
  const child = Bun.spawn(["bash", "-c", script, "bash", await binary(), ...words], {
    stdout: "pipe",
    stderr: "inherit",
  });
  const readAll = async () => {
    await Bun.write(isRead, "");
    const text = await new Response(child.stdout).text();
    return { code: await child.exited, lines: text.trimEnd().split("\n") };
  };
  closeAfterTest(async () => {
    await Bun.write(isRead, "");
    await child.exited;
  });
  return { readAll };
}

test.each([true, false])(
  "an export into a pipe that nobody reads keeps no snapshot: next to a server %p",
  async (hasServer) => {
    const database = await databaseWithAccounts(hasServer);
    const { readAll } = await stalledExport(database);
    await Bun.sleep(1_500);
    expect(writeMuch(database)).toBeLessThan(maxWalBytes);
    const { code, lines } = await readAll();
    expect([code, lines.length, lines.at(-1)]).toEqual([
      0,
      accountCount + 1,
      `{"end":true,"rows":${accountCount}}`,
    ]);
  },
);
