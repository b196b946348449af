import { expect, test } from "bun:test";
import { join } from "node:path";
import { folder, output, start } from "../binary/binary.ts";
import { watchMemory } from "../faults/memory.ts";
import { quantileOf } from "../support/quantile.ts";
import { emptyDatabase } from "./database.ts";
import { startDelay } from "./proxy.ts";

const organizations = Array.from({ length: 7 }, (_, i) => `Organization ${i}`);
/** Other tests use the processors at the same time: alone, half of these limits is kept. */
const slack = 2;
/** A large request of PostgreSQL takes at most this many times as long as of SQLite. */
const maxFactor = 4 * slack;
/** Of a small write of another organization, and what a delay to the server adds. */
const [maxMilliseconds, maxAddedMilliseconds] = [1_000 * slack, 500 * slack];
/** Megabytes of private memory during one request of 64,806 values, and during six. */
const [maxMegabytes, maxMegabytesOfSix] = [150, 250];
const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);

/** A process that serves a database with some organizations, which it creates unless they have keys. */
async function serve(database: string, existingKeys?: readonly string[]) {
  const settings = { cwd: folder(), env: { DATABASE_URL: database } };
  const keys = [...(existingKeys ?? [])];
  for (const name of existingKeys ? [] : organizations) {
    await output(["organizations", "create", name], settings);
    keys.push(await output(["keys", "create", "--organization", name], settings));
  }
  const { url, pid } = await start(["serve", "--port", "0"], settings);
  async function send(path: string, body: object, key = keys[0]) {
    const begin = performance.now();
    const response = await fetch(`${url}/api/v1${path}`, {
      method: "POST",
      headers: { "x-api-key": key ?? "", "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    // biome-ignore lint/suspicious/noExplicitAny: a test reads any member of a reply and compares it.
    const { data }: any = await response.json();
    return { status: response.status, data, milliseconds: performance.now() - begin };
  }
  return { keys, pid, send };
}

type Served = Awaited<ReturnType<typeof serve>>;

const times = { startAt: "2026-01-05T10:00:00Z", endAt: "2026-01-05T11:00:00Z" };

/** An account with two contacts, a meeting and a request. */
const account = (prefix: string) => (i: number) => ({
  ...{ externalId: `${prefix}${i}`, name: `Account ${i}`, mrr: i },
  contacts: [
    { externalId: `${prefix}${i}-a`, name: "Ada Lovelace", email: `ada${i}@example.com` },
    { externalId: `${prefix}${i}-b`, name: "Bob", email: `bob${i}@example.com` },
  ],
  meetings: [{ ...times, externalId: `${prefix}${i}-m`, title: "Kickoff" }],
  requests: [{ externalId: `${prefix}${i}-r`, title: "Export", severity: 2 }],
});
const accountsOf = (prefix: string, count: number) => ({ accounts: numbers(count).map(account(prefix)) });

/** The accounts, the last of which has two contacts with one address. */
function withRefused(prefix: string, count: number) {
  const { accounts } = accountsOf(prefix, count);
  for (const contact of accounts.at(-1)?.contacts ?? []) contact.email = "ada@example.com";
  return { accounts };
}

const attributes = (count: number, value: number) =>
  Object.fromEntries(numbers(count).map((i) => [`a${i}`, value]));
/** 1,200 contacts with 50 attributes each: 64,806 values. */
const contactsOf = (value: number, round = 1) => ({
  accounts: [
    {
      ...{ externalId: `many${round}`, name: "Many contacts" },
      contacts: numbers(1_200).map((i) => ({
        ...{ externalId: `many${round} ${i}`, name: "Ada", attributes: attributes(50, value) },
      })),
    },
  ],
});

/** Sends the large requests one after another; resolves with the counts of their outcomes, and their shortest times. */
async function sendAll(served: Served) {
  const rounds = [await sendRound(served, 1), await sendRound(served, 2), await sendRound(served, 3)];
  const names = Object.keys(rounds[0]?.times ?? {});
  const shortest = (name: string) => Math.min(...rounds.map(({ times }) => times[name] ?? 0));
  return {
    outcomes: rounds.map((round) => round.outcomes),
    times: Object.fromEntries(names.map((name) => [name, shortest(name)])),
  };
}

async function sendRound({ send }: Served, round: number) {
  const outcomes: Record<string, object> = {};
  const times: Record<string, number> = {};
  const add = async (name: string, path: string, body: object) => {
    const { status, data, milliseconds } = await send(path, body);
    const { created, updated, failed } = data ?? {};
    outcomes[name] = { status, created, updated, failed };
    times[name] = milliseconds;
    return data;
  };
  await add("accounts", "/accounts/batch", accountsOf(`a${round}`, 1_000));
  const event = (i: number) => ({ event: "login", externalId: `p${round}${i}`, userId: `user ${i % 20}` });
  await add("pending events", "/events", { events: numbers(1_000).map(event) });
  await add("accounts with pending events", "/accounts/batch", accountsOf(`p${round}`, 1_000));
  await add("the last account refused", "/accounts/batch", withRefused(`r${round}`, 1_000));
  const contact = (i: number) => ({
    ...{ method: "POST", path: `/api/v1/accounts/external/a${round}1/contacts` },
    body: { externalId: `new${round} ${i}`, name: "Ada", attributes: attributes(40, i) },
  });
  const conflicting = { ...contact(0), body: { externalId: `a${round}1-a`, name: "Ada" } };
  const operations = [...numbers(999).map(contact), conflicting];
  const { results } = await add("one operation in conflict", "/batch", { mode: "partial", operations });
  outcomes.operations = Object.fromEntries(
    Map.groupBy(results as { status: number }[], ({ status }) => status)
      .entries()
      .map(([status, list]) => [status, list.length]),
  );
  await add("new contacts", "/accounts/batch", contactsOf(1, round));
  await add("changed attributes", "/accounts/batch", contactsOf(2, round));
  return { outcomes, times };
}

test("the largest requests have the same outcomes as on SQLite, in little more time, and use little memory", async () => {
  const sqlite = await sendAll(await serve(join(folder(), "accountd.db")));
  const url = await emptyDatabase();
  const served = await serve(url);
  const postgres = await sendAll(served);
  const { pid, send } = await serve(url, served.keys);
  const endWatch = watchMemory(pid);
  expect((await send("/accounts/batch", contactsOf(3))).data.updated).toBe(1);
  const megabytes = endWatch();
  expect(postgres.outcomes).toEqual(sqlite.outcomes);
  expect(postgres.outcomes[0]).toMatchObject({
    accounts: { status: 200, created: 1_000, failed: 0 },
    "accounts with pending events": { status: 200, created: 1_000, failed: 0 },
    "the last account refused": { status: 200, created: 999, failed: 1 },
    operations: { 201: 999, 409: 1 },
    "changed attributes": { status: 200, updated: 1 },
  });
  const factors = Object.entries(postgres.times).map(([name, time]) => [
    name,
    time / (sqlite.times[name] ?? Number.NaN),
  ]);
  expect(factors.filter(([, factor]) => !(Number(factor) <= maxFactor))).toEqual([]);
  expect(megabytes).toBeLessThan(maxMegabytes);
}, 180_000);

test("six organizations send the largest request at once: all are stored, in little memory, and nobody else waits", async () => {
  const url = await emptyDatabase();
  const before = await serve(url);
  const [other, ...six] = before.keys;
  for (const key of six) await before.send("/accounts/batch", contactsOf(1), key);
  const { pid, send } = await serve(url, before.keys);
  const endWatch = watchMemory(pid);
  let isSending = true;
  const sent = Promise.all(six.map((key) => send("/accounts/batch", contactsOf(2), key)));
  const waited: { status: number; milliseconds: number }[] = [];
  const watch = async () => {
    while (isSending) {
      waited.push(await send("/accounts", { name: "Small" }, other));
      await Bun.sleep(20);
    }
  };
  const watching = watch();
  const replies = await sent;
  isSending = false;
  await watching;
  const megabytes = endWatch();
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
  expect(waited.filter(({ status }) => status !== 201)).toEqual([]);
  const times = waited.map(({ milliseconds }) => milliseconds).toSorted((a, b) => a - b);
  expect(quantileOf(times, 0.9)).toBeLessThan(maxMilliseconds);
  expect(megabytes).toBeLessThan(maxMegabytesOfSix);
}, 180_000);

test("a delay of 2 ms each way to the server adds little time to 400 accounts, one of which is refused", async () => {
  const url = await emptyDatabase();
  const direct = await serve(url);
  const delayed = await startDelay(await emptyDatabase());
  const { send } = await serve(delayed);
  await direct.send("/accounts/batch", accountsOf("w", 400));
  await send("/accounts/batch", accountsOf("w", 400));
  const without = await direct.send("/accounts/batch", withRefused("d", 400));
  const { status, data, milliseconds } = await send("/accounts/batch", withRefused("d", 400));
  expect({ status, created: data.created, failed: data.failed }).toEqual({
    ...{ status: 200, created: 399, failed: 1 },
  });
  expect(milliseconds - without.milliseconds).toBeLessThan(maxAddedMilliseconds);
}, 180_000);
