import { expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { version } from "../../src/version.ts";
import { newWebhookSecret, signedHeaders } from "../../src/webhooks/send/signature.ts";

const body = '{"sequence":7,"name":"Müller \\ud83d\\ude00 😀"}';
const message = { id: "msg_3_7", timestamp: Date.now(), body, contentType: "application/json" };

test("the headers conform to Standard Webhooks, and its package accepts the signature", () => {
  const secret = newWebhookSecret();
  const headers = signedHeaders({ ...message, secrets: [secret] });
  expect(headers).toEqual({
    "content-type": "application/json",
    "user-agent": `accountd/${version}`,
    "webhook-id": "msg_3_7",
    "webhook-timestamp": String(Math.floor(message.timestamp / 1_000)),
    "webhook-signature": expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
  });
  expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
  expect(() => new Webhook(newWebhookSecret()).verify(body, headers)).toThrow("No matching signature");
  expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow("No matching signature");
  expect(() => new Webhook(secret).verify(body, { ...headers, "webhook-id": "msg_3_8" })).toThrow(
    "No matching signature",
  );
});
