import { afterEach, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { createClient, verifyWebhook, WebhookVerificationError } from "../src/client.ts";
import { startServer, stopServers } from "./server.ts";

afterEach(stopServers);

const secret = `whsec_${btoa("a secret of 24 bytes ...")}`;
const other = `whsec_${btoa("another one of 24 bytes.")}`;
const change = { sequence: 17, type: "account.created", after: { name: "Zoë 😀" } };
const body = JSON.stringify(change);
const id = "msg_5_17";

/** The headers of a delivery that was signed `age` seconds ago with these secrets, by the reference implementation. */
function headersOf({ age = 0, secrets = [secret], text = body } = {}) {
  const signedAt = new Date(Date.now() - age * 1_000);
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(signedAt.getTime() / 1_000)),
    "webhook-signature": secrets.map((each) => new Webhook(each).sign(id, signedAt, text)).join(" "),
  };
}

/** The message of the error. */
async function failureOf(request: Parameters<typeof verifyWebhook>[0]): Promise<string> {
  const error = await verifyWebhook(request).catch((thrown: unknown) => thrown);
  if (!(error instanceof WebhookVerificationError)) throw error;
  return error.message;
}

test("a delivery with a valid signature is verified, and its change returned", async () => {
  const headers = headersOf();
  const names = Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]);
  for (const form of [headers, new Headers(headers), Object.fromEntries(names)])
    for (const received of [body, new TextEncoder().encode(body), Buffer.from(body)])
      expect((await verifyWebhook({ headers: form, body: received, secret })) as unknown).toEqual(change);
  expect(new Webhook(secret).verify(body, headers)).toEqual(change);
});

test("the data of an event of CloudEvents is the change", async () => {
  const text = JSON.stringify({ specversion: "1.0", id: "17", data: change });
  const received = await verifyWebhook({ headers: headersOf({ text }), body: text, secret });
  expect(received as unknown).toEqual(change);
});

test("a server's test of a webhook is verified, in both formats", async () => {
  const received: { headers: Headers; body: string }[] = [];
  await using receiver = Bun.serve({
    port: 0,
    async fetch(request) {
      received.push({ headers: request.headers, body: await request.text() });
      return new Response();
    },
  });
  const { server, key } = await startServer({
    keyOptions: ["--scope", "admin"],
    options: ["--webhooks-insecure"],
  });
  const { webhooks } = createClient({ server, key });
  for (const format of ["accountd", "cloudevents"] as const) {
    const webhook = await webhooks.create({ url: `http://127.0.0.1:${receiver.port}/`, format });
    await webhooks.byId(webhook.id).test();
    const request = received.pop();
    if (!request) throw new Error("nothing was received");
    const verified = await verifyWebhook({ ...request, secret: [webhook.secret ?? "", other] });
    // The compiler knows the type of a test.
    if (verified.type !== "webhook.test") throw new Error(verified.type);
    const { sequence, type, resourceId, accountId, before, after } = verified;
    expect({ sequence, type, resourceId, accountId, before, after }).toEqual({
      ...{
        sequence: 0,
        type: "webhook.test",
        resourceId: webhook.id,
        accountId: null,
        before: null,
        after: null,
      },
    });
  }
});

test("one of several signatures and one of several secrets are enough", async () => {
  const rotated = headersOf({ secrets: [other, secret] });
  expect(await verifyWebhook({ headers: rotated, body, secret })).toMatchObject({ sequence: 17 });
  const headers = headersOf({ secrets: [other] });
  expect(await verifyWebhook({ headers, body, secret: [secret, other] })).toMatchObject({ sequence: 17 });
  const signature = `v1a,AAAA v1,%% v1, ${headers["webhook-signature"]}`;
  const mixed = { ...headers, "webhook-signature": signature };
  expect(await verifyWebhook({ headers: mixed, body, secret: other })).toMatchObject({ sequence: 17 });
});

const wrong: [string, Parameters<typeof verifyWebhook>[0]][] = [
  ["another secret", { headers: headersOf(), body, secret: other }],
  ["another body", { headers: headersOf(), body: `${body} `, secret }],
  ["another id", { headers: { ...headersOf(), "webhook-id": "msg_5_18" }, body, secret }],
  [
    "another version",
    {
      headers: {
        ...headersOf(),
        "webhook-signature": headersOf()["webhook-signature"].replace("v1,", "v2,"),
      },
      body,
      secret,
    },
  ],
  ["no secret", { headers: headersOf(), body, secret: [] }],
];
test.each(wrong)("a delivery with %s is rejected", async (_, request) => {
  expect(await failureOf(request)).toBe(
    "no signature is of the secret and the body: check the secret, and pass the body as it was received",
  );
});

test("a delivery over 5 minutes old or ahead is rejected, and one within 5 minutes verified", async () => {
  for (const age of [295, -295])
    expect(await verifyWebhook({ headers: headersOf({ age }), body, secret })).toMatchObject({
      sequence: 17,
    });
  expect(await failureOf({ headers: headersOf({ age: 310 }), body, secret })).toMatch(
    /^the delivery was signed 31\d s ago, over 5 minutes: check the clock$/,
  );
  expect(await failureOf({ headers: headersOf({ age: -310 }), body, secret })).toMatch(/ 3(?:09|10) s ahead/);
  for (const timestamp of ["", "1e9", "-1", "NaN"]) {
    const headers = { ...headersOf(), "webhook-timestamp": timestamp };
    expect(await failureOf({ headers, body, secret })).toMatch(/^the header webhook-timestamp /);
  }
});

test.each(["webhook-id", "webhook-timestamp", "webhook-signature"])(
  "a request without %s is rejected by the name of the header",
  async (name) => {
    const headers = { ...headersOf(), [name]: undefined };
    expect(await failureOf({ headers, body, secret })).toBe(`the header ${name} is missing`);
  },
);

test("an invalid secret is a TypeError", async () => {
  for (const invalid of ["", "whsec_", "whsec_%"])
    await expect(verifyWebhook({ headers: headersOf(), body, secret: invalid })).rejects.toBeInstanceOf(
      TypeError,
    );
});

test("of many signatures only the first ones are verified", async () => {
  const headers = headersOf({ secrets: [...Array.from({ length: 7 }, () => other), secret, secret] });
  expect((await verifyWebhook({ headers, body, secret })) as unknown).toEqual(change);
  const late = headersOf({ secrets: [...Array.from({ length: 8 }, () => other), secret] });
  expect(await failureOf({ headers: late, body, secret })).toStartWith("no signature is of the secret");
});
