import { expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { deliveryWorld, type Received, startEndpoint, until } from "./delivery-world.ts";

/** The signature of a message by the reference implementation. */
function signatureOf({ headers, text }: Received, secret: string): string {
  const time = new Date(1_000 * Number(headers["webhook-timestamp"]));
  return new Webhook(secret).sign(headers["webhook-id"] ?? "", time, text);
}

test("each change is sent once, as the feed has it and signed, in the order of its account", async () => {
  const { webhook, account, send, changes, deliveries, now } = await deliveryWorld();
  const endpoint = await startEndpoint(() => new Response("thanks", { status: 202 }));
  await account({ name: "Before" });
  const { id, secret } = await webhook({ url: `${endpoint.url}hook?a=1` });
  const { id: accountId } = await account({ name: "Acme" });
  for (let mrr = 1; mrr <= 20; mrr += 1) await send("PATCH", `/api/v1/accounts/${accountId}`, { mrr });
  await endpoint.count(21);
  const [, ...later] = await changes();
  expect(endpoint.received.map(({ body }) => body)).toEqual(later as never);
  for (const [i, request] of endpoint.received.entries()) {
    expect(request).toMatchObject({
      path: "/hook",
      headers: {
        "content-type": "application/json",
        "webhook-id": `msg_${id}_${i + 2}_${now().toString(36)}`,
        "webhook-timestamp": String(Math.floor(now() / 1_000)),
        "webhook-signature": signatureOf(request, secret),
      },
    });
  }
  await until(async () =>
    (await deliveries(id)).every(({ status }: { status: string }) => status === "delivered"),
  );
  expect(await deliveries(id)).toMatchObject(
    later.map(({ sequence }) => ({
      ...{ sequence, status: "delivered", attempts: 1, nextAttemptAt: null },
      ...{ responseStatus: 202, responseBody: "thanks", error: null },
    })),
  );
  await Bun.sleep(100);
  expect(endpoint.received.length).toBe(21);
});

test("a webhook gets the changes of its organization with its types, and each in its format", async () => {
  const { webhook, account, send, second, changes, first } = await deliveryWorld();
  const endpoint = await startEndpoint();
  const at = (path: string) => ({ url: `${endpoint.url}${path}` });
  await webhook({ ...at("deleted"), types: ["account.deleted", "contact.created"] });
  await webhook({ ...at("events"), format: "cloudevents" });
  await webhook({ ...at("slack"), format: "slack" });
  await webhook(at("second"), { key: second.key });
  const { id } = await account({ name: "Acme" });
  await account({ name: "Other" }, { key: second.key });
  await send("DELETE", `/api/v1/accounts/${id}`);
  await endpoint.count(6);
  await Bun.sleep(100);
  const [created, deleted] = await changes();
  const bodies = (path: string) =>
    endpoint.received.filter((entry) => entry.path === `/${path}`).map(({ body }) => body);
  expect(bodies("deleted")).toEqual([deleted] as never);
  expect(bodies("second")).toMatchObject([{ sequence: 1, after: { name: "Other" } }]);
  expect(bodies("events")).toMatchObject([
    { specversion: "1.0", id: "1", source: `urn:accountd:organization:${first.id}`, data: created },
    { specversion: "1.0", id: "2", type: "account.deleted", data: deleted },
  ] as never);
  expect(bodies("slack").map((body) => Object.keys(body))).toEqual([["text"], ["text"]]);
  const types = new Set(endpoint.received.map(({ path, headers }) => `${path} ${headers["content-type"]}`));
  expect(types).toContain("/events application/cloudevents+json");
});

/** The most requests that were open at once, of those whose key is equal. */
function mostAtOnce(received: readonly Received[], keyOf: (request: Received) => unknown): number {
  const groups = [...Map.groupBy(received, keyOf).values()];
  const counts = groups.flatMap((group) =>
    group.map(
      ({ beginAt }) => group.filter((other) => other.beginAt <= beginAt && beginAt < other.endAt).length,
    ),
  );
  return Math.max(...counts);
}

test("deliveries of an account are sent one after another, deliveries of several accounts four at once", async () => {
  const { webhook, account, send } = await deliveryWorld();
  const endpoint = await startEndpoint(async ({ path }) => {
    await Bun.sleep(path === "/account" ? 100 : 10);
    return new Response();
  });
  await webhook({ url: `${endpoint.url}account` });
  await webhook({ url: `${endpoint.url}strict`, ordered: "strict" });
  const accounts = [];
  for (let count = 0; count < 8; count += 1) accounts.push(await account({ name: "Acme" }));
  for (const mrr of [1, 2, 3])
    await Promise.all(accounts.map(({ id }) => send("PATCH", `/api/v1/accounts/${id}`, { mrr })));
  await endpoint.count(64);
  const of = (path: string) => endpoint.received.filter((entry) => entry.path === path);
  expect(mostAtOnce(of("/account"), () => 0)).toBe(4);
  expect(mostAtOnce(of("/account"), ({ body }) => body.accountId)).toBe(1);
  expect(mostAtOnce(of("/strict"), () => 0)).toBe(1);
  const numbers = Array.from({ length: 32 }, (_, i) => i + 1);
  expect(endpoint.sequences("/strict")).toEqual(numbers);
  expect(endpoint.sequences("/account").toSorted((a, b) => a - b)).toEqual(numbers);
  for (const group of Map.groupBy(of("/account"), ({ body }) => body.accountId).values())
    expect(group.map(({ body }) => body.after)).toMatchObject([{}, { mrr: 1 }, { mrr: 2 }, { mrr: 3 }]);
});

test("an account whose delivery fails delays no other account; a strict webhook waits for it", async () => {
  const { webhook, account, send, pass } = await deliveryWorld();
  let fails = true;
  const endpoint = await startEndpoint(
    ({ body }) => new Response(null, { status: fails && body.accountId === 1 ? 500 : 200 }),
  );
  await webhook({ url: `${endpoint.url}account` });
  await webhook({ url: `${endpoint.url}strict`, ordered: "strict" });
  const failing = await account({ name: "Failing" });
  await until(() => endpoint.received.length === 2);
  const other = await account({ name: "Acme" });
  await send("PATCH", `/api/v1/accounts/${other.id}`, { mrr: 1 });
  await send("PATCH", `/api/v1/accounts/${failing.id}`, { mrr: 1 });
  pass(1_000);
  await until(() => endpoint.sequences("/account").length === 3);
  expect(endpoint.sequences("/account")).toEqual([1, 2, 3]);
  expect(endpoint.sequences("/strict")).toEqual([1]);
  fails = false;
  pass(4_600);
  await endpoint.count(10);
  expect(endpoint.sequences("/account")).toEqual([1, 2, 3, 1, 4]);
  expect(endpoint.sequences("/strict")).toEqual([1, 1, 2, 3, 4]);
});

test("after a rotation the old secret signs for 24 hours, too", async () => {
  const { webhook, account, rotate, pass } = await deliveryWorld();
  const endpoint = await startEndpoint();
  const { id, secret: old } = await webhook({ url: endpoint.url });
  const { secret } = await rotate(id);
  await account({ name: "Acme" });
  await endpoint.count(1);
  pass(24 * 3_600_000);
  await account({ name: "Other" });
  await endpoint.count(2);
  const signatures = (request: Received | undefined, ...secrets: string[]) =>
    request && secrets.map((key) => signatureOf(request, key)).join(" ");
  const [during, after] = endpoint.received;
  expect(during?.headers["webhook-signature"]).toBe(signatures(during, secret, old));
  expect(after?.headers["webhook-signature"]).toBe(signatures(after, secret));
});
