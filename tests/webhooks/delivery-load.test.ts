import { expect, test } from "bun:test";
import { quantileOf } from "../support/quantile.ts";
import { deliveryWorld, startEndpoint, until } from "./delivery-world.ts";

test("20 endpoints that hang after a success do not delay another one", async () => {
  const { webhook, account, second } = await deliveryWorld();
  const paths = new Set<string>();
  const hanging = await startEndpoint(({ path }) => {
    if (paths.has(path)) return new Promise<Response>(() => {});
    paths.add(path);
    return new Response();
  });
  const endpoint = await startEndpoint();
  for (let number = 1; number <= 20; number += 1) await webhook({ url: `${hanging.url}${number}` });
  await webhook({ url: endpoint.url }, { key: second.key });
  await account({ name: "Acme" });
  await until(() => paths.size === 20);
  for (let count = 0; count < 10; count += 1) await account({ name: "Acme" });
  await until(() => hanging.received.length === 100);
  const sentAt: number[] = [];
  for (let count = 0; count < 100; count += 1) {
    await account({ name: "Acme" }, { key: second.key });
    sentAt.push(performance.now());
    await Bun.sleep(10);
  }
  await endpoint.count(100);
  // 80 attempts hang: four of each webhook.
  expect(hanging.received.length).toBe(100);
  expect(endpoint.sequences().toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 100 }, (_, i) => i + 1),
  );
  const latencies = endpoint.received.map(
    ({ body, beginAt }) => beginAt - (sentAt[Number(body.sequence) - 1] ?? 0),
  );
  expect(quantileOf(latencies, 0.99)).toBeLessThan(1_000);
});

test("changes beyond the 1,000 pending ones of a webhook are delivered after them", async () => {
  const { webhook, send, rows, patch, pass } = await deliveryWorld();
  const endpoint = await startEndpoint(() => new Response(null, { status: 500 }));
  const { id } = await webhook({ url: endpoint.url });
  for (let batch = 0; batch < 11; batch += 1)
    await send("POST", "/api/v1/accounts/batch", {
      accounts: Array.from({ length: 100 }, (_, i) => ({ externalId: `${batch}-${i}`, name: "Acme" })),
    });
  const pending = "select count(*) as count from webhook_deliveries where status = 'pending'";
  const pendingCount = async () => Number((await rows<{ count: number }>(pending))[0]?.count);
  await until(async () => (await pendingCount()) === 1_000);
  await Bun.sleep(300);
  expect(await pendingCount()).toBe(1_000);
  endpoint.answerWith(() => new Response());
  const failed = endpoint.received.length;
  await patch(id, { url: endpoint.url });
  pass(6_000);
  // The count of deliveries in each look would keep the processor busy: attempts begin ten times as seldom then.
  await endpoint.count(failed + 1_100);
  await until(async () => (await pendingCount()) === 0);
  expect(
    endpoint
      .sequences()
      .slice(failed)
      .toSorted((a, b) => a - b),
  ).toEqual(Array.from({ length: 1_100 }, (_, i) => i + 1));
});
