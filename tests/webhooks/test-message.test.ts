import { expect, test } from "bun:test";
import type { Socket } from "node:net";
import { Webhook } from "standardwebhooks";
import { beginning, beginningText } from "../support/world.ts";
import { receive } from "./receiver.ts";
import { path, webhookWorld } from "./webhook-world.ts";

/** The headers and the body of a request. */
function parse(request = "") {
  const [head = "", body = ""] = request.split("\r\n\r\n");
  const lines = head.split("\r\n").slice(1);
  const headers = lines.map((line) => [
    line.split(": ")[0]?.toLowerCase(),
    line.slice(line.indexOf(": ") + 2),
  ]);
  return { headers: Object.fromEntries(headers) as Record<string, string>, body };
}

const ok = "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nfine";
const delivered = {
  ...{ status: "delivered", responseStatus: 200, responseBody: "fine", error: null },
  durationMilliseconds: expect.any(Number),
};

test("a test sends a signed sample, returns the outcome, and stores nothing", async () => {
  const { create, send, rows } = await webhookWorld();
  const { port, requests } = await receive(ok);
  const { id, secret } = await create({ url: `http://127.0.0.1:${port}/in?a=b`, types: ["meeting.created"] });
  const stored = () =>
    Promise.all([rows("SELECT * FROM webhooks"), rows("SELECT * FROM webhook_deliveries")]);
  const before = await stored();
  expect(await send("POST", `${path}/${id}/test`)).toEqual(delivered);
  expect(await stored()).toEqual(before);
  expect(requests[0]).toStartWith("POST /in?a=b HTTP/1.1\r\n");
  const { headers, body } = parse(requests[0]);
  expect(sign(secret, headers, body)).toBe(headers["webhook-signature"] ?? "");
  expect(headers).toMatchObject({
    "content-type": "application/json",
    "webhook-id": expect.stringMatching(new RegExp(`^msg_${id}_test-[0-9a-f-]{36}$`)),
    "webhook-timestamp": String(Math.floor(beginning / 1_000)),
  });
  expect(JSON.parse(body)).toEqual({
    ...{ sequence: 0, type: "webhook.test", time: beginningText, resourceId: id, accountId: null },
    actor: { type: "key", id: expect.any(Number), name: "test" },
    requestId: expect.any(String),
    ...{ before: null, after: null },
  });
});

/** The signature of the package, which verifies present timestamps only. */
function sign(secret: string, headers: Record<string, string>, body: string): string {
  const time = new Date(1_000 * Number(headers["webhook-timestamp"]));
  return new Webhook(secret).sign(headers["webhook-id"] ?? "", time, body);
}

test("during a rotation a test has the signature of each secret, then of the new one", async () => {
  const { create, send, pass } = await webhookWorld();
  const { port, requests } = await receive(ok);
  const { id, secret: previous } = await create({ url: `http://127.0.0.1:${port}/` });
  const { secret } = await send("POST", `${path}/${id}/rotate`);
  await send("POST", `${path}/${id}/test`);
  pass(86_400_000);
  await send("POST", `${path}/${id}/test`);
  const [both, one] = requests.map(parse).map(({ headers, body }) => ({
    sent: headers["webhook-signature"],
    ...{ previous: sign(previous, headers, body), current: sign(secret, headers, body) },
  }));
  expect(both?.sent).toBe(`${both?.current} ${both?.previous}`);
  expect(one?.sent).toBe(one?.current);
});

test("a test has the format of the webhook, also when the webhook is not active", async () => {
  const { create, send } = await webhookWorld();
  const { port, requests } = await receive(ok);
  const { id } = await create({ url: `http://127.0.0.1:${port}/`, format: "cloudevents" });
  await send("PATCH", `${path}/${id}`, { active: false });
  await send("POST", `${path}/${id}/test`);
  await send("PATCH", `${path}/${id}`, { format: "slack" });
  await send("POST", `${path}/${id}/test`);
  const [event, message] = requests.map(parse);
  expect(event?.headers["content-type"]).toBe("application/cloudevents+json");
  expect(JSON.parse(event?.body ?? "")).toEqual({
    ...{ specversion: "1.0", id: event?.headers["webhook-id"], source: "urn:accountd:organization:1" },
    ...{ type: "webhook.test", subject: `webhook/${id}`, time: beginningText },
    datacontenttype: "application/json",
    data: expect.objectContaining({ type: "webhook.test" }),
  });
  expect(JSON.parse(message?.body ?? "")).toEqual({ text: expect.stringContaining("test of accountd") });
});

test("a test that fails says why", async () => {
  const { create, send } = await webhookWorld();
  const { port } = await receive("HTTP/1.1 503 Busy\r\ncontent-length: 4\r\n\r\nbusy");
  const { id } = await create({ url: `http://127.0.0.1:${port}/` });
  const failed = { ...delivered, status: "failed" };
  expect(await send("POST", `${path}/${id}/test`)).toEqual({
    ...{ ...failed, responseStatus: 503, responseBody: "busy", error: "status" },
  });
  await send("PATCH", `${path}/${id}`, { url: "https://nobody.example/" });
  expect(await send("POST", `${path}/${id}/test`)).toEqual({
    ...{ ...failed, responseStatus: null, responseBody: null, error: "name_not_found" },
  });
});

test("an organization has at most 4 tests at once, and another organization still tests", async () => {
  const { call, create, second } = await webhookWorld();
  const waiting: Socket[] = [];
  const slow = await receive((socket) => void waiting.push(socket));
  const { id } = await create({ url: `http://127.0.0.1:${slow.port}/` });
  const quick = await receive(ok);
  const key = { key: second.key };
  const other = await call("POST", path, { url: `http://127.0.0.1:${quick.port}/` }, key);
  const tests = Array.from({ length: 5 }, () => call("POST", `${path}/${id}/test`));
  const rejected = await Promise.race(tests);
  expect([rejected.status, rejected.headers.get("retry-after"), rejected.body.code]).toEqual([
    ...[429, "15", "rate_limited"],
  ]);
  const tested = await call("POST", `${path}/${other.body.data.id}/test`, undefined, key);
  expect(tested.body.data).toEqual(delivered);
  while (waiting.length < 4) await Bun.sleep(2);
  for (const socket of waiting) socket.end(ok);
  expect((await Promise.all(tests)).filter(({ status }) => status === 200).length).toBe(4);
  const last = call("POST", `${path}/${id}/test`);
  while (waiting.length < 5) await Bun.sleep(2);
  waiting[4]?.end(ok);
  expect((await last).status).toBe(200);
});
