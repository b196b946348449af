import { expect, setDefaultTimeout, test } from "bun:test";
import { type Running, start } from "../binary/binary.ts";
import { createOrganizationWithKey } from "../support/template.ts";
import { type Received, startEndpoint, until } from "../webhooks/delivery-world.ts";
import { emptyDatabase, engineOn } from "./database.ts";

setDefaultTimeout(120_000);

const maxTakeoverMilliseconds = 15_000;

/** Two servers of a database, and a key of an organization. */
async function twoServers() {
  const url = await emptyDatabase();
  const { key } = await createOrganizationWithKey(await engineOn(url, { canMigrate: true }), "Acme");
  const serve = () =>
    start(["serve", "--port", "0", "--database", url], { env: { WEBHOOKS_INSECURE: "true" } });
  const send = async ({ url: server }: Running, method: string, path: string, body: object) => {
    const headers = { "x-api-key": key, "content-type": "application/json" };
    const reply = await fetch(`${server}/api/v1${path}`, { method, headers, body: JSON.stringify(body) });
    if (!reply.ok) throw new Error(`${method} ${path}: ${await reply.text()}`);
  };
  return { servers: [await serve(), await serve()] as const, serve, send };
}

/** The changes that were sent to an account while another one of it was sent. */
function sentAtOnce(received: readonly Received[]): Received[] {
  return received.filter(({ body, beginAt, endAt }) =>
    received.some(
      (other) =>
        other.body.accountId === body.accountId &&
        other.body.sequence !== body.sequence &&
        other.beginAt < endAt &&
        beginAt < other.endAt,
    ),
  );
}

test("one of two servers delivers; after a kill -9 of either, the changes go on within 15 s, one at a time", async () => {
  const { servers, serve, send } = await twoServers();
  const endpoint = await startEndpoint(async () => {
    await Bun.sleep(30);
    return new Response();
  });
  const [first, second] = servers;
  await send(first, "POST", "/webhooks", { url: endpoint.url });
  for (let number = 1; number <= 3; number += 1)
    await send(second, "POST", "/accounts", { name: "Acme", externalId: `a${number}` });
  let changeCount = 3;
  await endpoint.count(3);
  /** Kills a server while the other one writes; resolves with the longest time without a request in milliseconds. */
  async function pauseAfterKill(killed: Running, other: Running): Promise<number> {
    const end = performance.now() + maxTakeoverMilliseconds + 2_000;
    const from = endpoint.received.length;
    const killedAt = performance.now();
    await killed.stop("SIGKILL");
    while (performance.now() < end) {
      await send(other, "PATCH", `/accounts/external/a${1 + (changeCount % 3)}`, { mrr: changeCount });
      changeCount += 1;
      await Bun.sleep(100);
    }
    await until(() => new Set(endpoint.sequences()).size === changeCount);
    const times = [killedAt, ...endpoint.received.slice(from).map(({ beginAt }) => beginAt)];
    return Math.max(...times.slice(1).map((time, i) => time - (times[i] ?? 0)));
  }
  const pauses = [await pauseAfterKill(first, second)];
  pauses.push(await pauseAfterKill(second, await serve()));
  expect(Math.max(...pauses)).toBeLessThan(maxTakeoverMilliseconds);
  // One of the two killed servers delivered.
  expect(Math.max(...pauses)).toBeGreaterThan(1_000);
  expect(sentAtOnce(endpoint.received)).toEqual([]);
  const firsts = [...new Set(endpoint.sequences())];
  for (const group of Map.groupBy(endpoint.received, ({ body }) => body.accountId).values()) {
    const sequences = [...new Set(group.map(({ body }) => Number(body.sequence)))];
    expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
  }
  expect(firsts.toSorted((a, b) => a - b)).toEqual(Array.from({ length: changeCount }, (_, i) => i + 1));
});
