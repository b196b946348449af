import { expect, test } from "bun:test";
import { EngineBusy } from "../../db/errors.ts";
import { openPostgres } from "../../db/postgres/engine.ts";
import { postgresStorage } from "../../db/postgres/storage.ts";
import { startLossProxy } from "../faults/postgres-proxy.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { type PostgresPair, startPair } from "../support/postgres-standby.ts";
import { createSchema, engineOn, migratedDatabase, withSql } from "./database.ts";
import { addText, textsOf } from "./rows.ts";

/** A primary with the schema and organizations, and its standby. */
async function ownPair(): Promise<PostgresPair> {
  const pair = await startPair();
  closeAfterTest(pair.remove);
  await createSchema(pair.primary.url);
  return pair;
}

/** The URL with the hosts of several. */
function join(...urls: string[]): string {
  const hosts = urls.map((url) => new URL(url).host).join();
  return String(urls[0]).replace(/@[^/]*/, `@${hosts}`);
}

test.concurrent("when the primary becomes read-only, reads and writes go on on the new primary", async () => {
  const pair = await ownPair();
  const engine = await engineOn(pair.url, { connections: { readConnections: 2, writeLanes: 2 } });
  const write = (text: string) => engine.write(1, (tx) => addText(tx, 1, text));
  const read = () => engine.read((snapshot) => textsOf(snapshot, 1));
  await write("first");
  await Promise.all([read(), read()]);
  await pair.promote();
  await withSql(pair.primary.url, async (sql) => {
    await sql.unsafe("alter system set default_transaction_read_only = on").simple();
    await sql`select pg_reload_conf()`;
  });
  await Bun.sleep(200);
  await expect(write("refused")).rejects.toBeInstanceOf(EngineBusy);
  await write("second");
  for (const texts of await Promise.all([read(), read()])) expect(texts).toEqual(["first", "second"]);
  await engine.ping();
}, 40_000);

test.concurrent("the host that accepts writes is found in each place, also by commands", async () => {
  const pair = await ownPair();
  const url = join(pair.standby.url, pair.primary.url);
  for (const checked of [url, pair.standby.url])
    expect(await postgresStorage(checked).check({ firstCompleteDay: 0 })).toEqual([]);
  const engine = await engineOn(url);
  await engine.write(1, (tx) => addText(tx, 1, "a"));
  expect(await engine.read((snapshot) => textsOf(snapshot, 1))).toEqual(["a"]);
  const none = join(pair.standby.url, pair.standby.url);
  await expect(openPostgres(none, { clock: () => 0 })).rejects.toThrow(
    /^postgres:\/\/postgres@127\.0\.0\.1:\d+,127\.0\.0\.1:\d+\/postgres cannot be used: No host accepts writes \(127\.0\.0\.1:\d+: The server accepts no writes; .*\)\.$/,
  );
}, 40_000);

test.concurrent("a host that is silent delays a connection by half a second", async () => {
  const url = await migratedDatabase();
  const silent = await startLossProxy(url);
  silent.setSilent(true);
  const startedAt = performance.now();
  const engine = await engineOn(join(silent.url, url), {
    connections: { readConnections: 1, writeLanes: 1 },
  });
  await engine.write(1, (tx) => addText(tx, 1, "a"));
  expect(performance.now() - startedAt).toBeLessThan(2_000);
  expect(await engine.read((snapshot) => textsOf(snapshot, 1))).toEqual(["a"]);
});

test.concurrent("while all of three hosts are silent, calls fail within 5 s", async () => {
  const url = await migratedDatabase();
  const proxies = [await startLossProxy(url), await startLossProxy(url), await startLossProxy(url)];
  const engine = await engineOn(join(...proxies.map((proxy) => proxy.url)), {
    connections: { readConnections: 1, writeLanes: 1 },
  });
  for (const proxy of proxies) proxy.setSilent(true);
  const startedAt = performance.now();
  const calls = [
    () => engine.write(1, (tx) => addText(tx, 1, "a")),
    () => engine.read((snapshot) => textsOf(snapshot, 1)),
  ];
  const outcomes = await Promise.allSettled(calls.map((call) => call()));
  const reasons = outcomes.map((outcome) => outcome.status === "rejected" && outcome.reason);
  for (const reason of reasons) expect(reason).toBeInstanceOf(EngineBusy);
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  const again = await calls[0]?.().catch((error: unknown) => error);
  expect(String(again)).toMatch(
    /No host accepts writes \((?:127.0.0.1:\d+: There was no reply within 2 s[;)] ?){3}\./,
  );
  for (const proxy of proxies) proxy.setSilent(false);
  await Promise.all(calls.map((call) => call()));
}, 20_000);
