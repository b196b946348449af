import { Database } from "bun:sqlite";
import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { statSync } from "node:fs";
import { connect } from "node:net";
import { lastSequence } from "../../src/core/changes/account-changes.ts";
import { listen } from "../../src/server/listen.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { isPostgres, world } from "../support/world.ts";

setDefaultTimeout(60_000);
type World = Awaited<ReturnType<typeof world>>;

/** More than a client and the kernel buffer. */
const accountCount = 12_000;
const logoLength = 2_000;
/** Bytes of the WAL: of all writes of a test at least, and of the file at most while nothing keeps a snapshot. */
const minWrittenBytes = 60_000_000;
const maxWalBytes = 80_000_000;

const stops: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** A server with accounts of 24 MB, and a client that requests an export and stops to read after its first bytes. */
async function stalledExport(path: string) {
  const here = await world();
  await here.execute(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${accountCount})
    INSERT INTO accounts (organization_id, name, folded_name, mrr, status, logo_url, created_at, updated_at)
    SELECT 1, 'Account ' || i, 'account ' || i, 0, 'active', '${"x".repeat(logoLength)}', i, i FROM n`);
  if (!isPostgres) await here.execute("PRAGMA wal_checkpoint(TRUNCATE)");
  const server = listen({ host: "127.0.0.1", port: 0 }, here.app.fetch, {
    keepAliveSeconds: () => 60,
    stallSeconds: 60,
  });
  const socket = connect(server.port ?? 0, "127.0.0.1");
  stops.push(() => void socket.destroy());
  stops.push(() => server.stop(true));
  let receivedLength = 0;
  let lastText = "";
  const { promise: isStalled, resolve } = Promise.withResolvers<void>();
  socket.on("data", (bytes) => {
    receivedLength += bytes.length;
    lastText = (lastText + bytes.toString("latin1")).slice(-100);
    socket.pause();
    resolve();
  });
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nx-api-key: ${here.first.key}\r\nConnection: close\r\n\r\n`,
  );
  await isStalled;
  // The parts that fit into buffers are read.
  await Bun.sleep(500);
  const readRest = async () => {
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
    socket.on("data", () => socket.resume());
    socket.on("end", end);
    socket.resume();
    await isOver;
    return { receivedLength, lastText };
  };
  return { ...here, readRest };
}

/** Creates accounts by requests until the WAL got `minWrittenBytes`. Returns the largest size of its file. */
async function writeMuch({ call, file }: World): Promise<number> {
  let [largest, written] = [0, 0];
  for (let round = 0; written < minWrittenBytes; round += 1) {
    const accounts = Array.from({ length: 400 }, (_, i) => ({
      externalId: `${round}-${i}`,
      name: `New ${round}-${i}`,
      logoUrl: `https://x.io/${"y".repeat(logoLength - 20)}`,
    }));
    const { status, body } = await call("POST", "/api/v1/accounts/batch", { accounts });
    expect([status, body.data.failed]).toEqual([200, 0]);
    // The row and its change.
    written += accounts.length * logoLength * 2;
    largest = Math.max(largest, statSync(`${file}-wal`).size);
  }
  return largest;
}

/** Whether a transaction of the service stays open. */
async function holdsSnapshot({ rows }: World): Promise<boolean> {
  const sql = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
    AND backend_type = 'client backend' AND backend_xmin IS NOT NULL`;
  for (let tries = 0; tries < 100; tries += 1) {
    if ((await rows(sql)).length === 0) return false;
    await Bun.sleep(20);
  }
  return true;
}

test.each(["/api/v1/accounts.csv?sortBy=createdAt", "/api/v1/accounts.jsonl?sortBy=name&search=account"])(
  "an export whose client does not read keeps no snapshot: %s",
  async (path) => {
    const here = await stalledExport(path);
    if (isPostgres) expect(await holdsSnapshot(here)).toBe(false);
    else expect(await writeMuch(here)).toBeLessThan(maxWalBytes);
    // The client was waiting all the time, and gets the rest.
    const { receivedLength, lastText } = await here.readRest();
    expect(receivedLength).toBeGreaterThan(accountCount * logoLength);
    expect(lastText).toEndWith("\r\n0\r\n\r\n");
  },
);

test.skipIf(isPostgres)(
  "control: a read transaction that stays open keeps the WAL from being moved into the file",
  async () => {
    const here = await world();
    const reader = new Database(here.file, { readonly: true });
    closeAfterTest(async () => reader.close());
    reader.run("BEGIN");
    reader.query("SELECT count(*) FROM accounts").get();
    expect(await writeMuch(here)).toBeGreaterThan(maxWalBytes);
  },
);

test.skipIf(!isPostgres)("control: a read whose function does not end holds a snapshot", async () => {
  const here = await world();
  const { promise: isBegun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: isEnded, resolve: end } = Promise.withResolvers<void>();
  const read = here.tenant().read(async (snapshot) => {
    await lastSequence(snapshot);
    begin();
    await isEnded;
  });
  await isBegun;
  expect(await holdsSnapshot(here)).toBe(true);
  end();
  await read;
  expect(await holdsSnapshot(here)).toBe(false);
});
