import type { Change } from "./lists.ts";

/** A request to your endpoint. */
export type WebhookRequest = {
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** As it was received: JSON that was parsed and written again has another signature. */
  body: string | Uint8Array;
  /** The secret of the webhook, `whsec_…`; while a rotation lasts, both secrets. */
  secret: string | readonly string[];
};

/** The sample that a test of a webhook sends: no change. */
export type WebhookTest = {
  type: "webhook.test";
  sequence: 0;
  time: string;
  /** The id of the webhook. */
  resourceId: number;
  accountId: null;
  actor: Change["actor"];
  requestId: string | null;
  before: null;
  after: null;
};

/** A request that is not a delivery of the webhook: respond with a status that is not 2xx. The message says why. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
}

/** Protects from the repetition of an old request, and allows for a clock that is wrong. */
const toleranceSeconds = 300;
/** A rotation has two. Each one takes the time of a hash of the body. */
const maxSignatures = 8;
const encoder = new TextEncoder();

/**
 * Verifies a delivery of a webhook with the format `accountd` or `cloudevents` (Standard Webhooks) and returns its change, or
 * the sample of a test. A delivery is repeated until the response is
 * 2xx: `sequence` is the same each time. Throws `WebhookVerificationError` unless the signature is of one of the secrets and
 * at most 5 minutes old, and TypeError for a secret that is not `whsec_` with base64, or a parsed body.
 */
export async function verifyWebhook({
  headers,
  body,
  secret,
}: WebhookRequest): Promise<Change | WebhookTest> {
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => {
    const value = headerOf(headers, name);
    if (!value) throw new WebhookVerificationError(`the header ${name} is missing`);
    return value;
  });
  if (!(typeof body === "string" || body instanceof Uint8Array))
    throw new TypeError("pass the body as it was received, as text or bytes, not parsed");
  assertIsRecent(timestamp ?? "");
  const bytes = typeof body === "string" ? encoder.encode(body) : body;
  const head = encoder.encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(head.length + bytes.length);
  signed.set(head);
  signed.set(bytes, head.length);
  const keys = await Promise.all([secret].flat().map(importSecret));
  for (const signature of (signatures ?? "").split(" ", maxSignatures)) {
    const expected = signature.startsWith("v1,") ? decodeBase64(signature.slice("v1,".length)) : undefined;
    if (!expected) continue;
    // `verify` takes a time that does not depend on the signature.
    for (const key of keys)
      if (await crypto.subtle.verify("HMAC", key, expected, signed)) return changeIn(bytes);
  }
  throw new WebhookVerificationError(
    "no signature is of the secret and the body: check the secret, and pass the body as it was received",
  );
}

/** The change itself, or the data of an event of CloudEvents. */
function changeIn(bytes: Uint8Array): Change | WebhookTest {
  const message = JSON.parse(new TextDecoder().decode(bytes));
  return "specversion" in message ? message.data : message;
}

function headerOf(headers: WebhookRequest["headers"], name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return typeof value === "string" ? value : value?.[0];
}

function assertIsRecent(timestamp: string): void {
  if (!/^\d{1,12}$/.test(timestamp))
    throw new WebhookVerificationError("the header webhook-timestamp must be in seconds since 1970");
  const age = Date.now() / 1_000 - Number(timestamp);
  if (Math.abs(age) > toleranceSeconds)
    throw new WebhookVerificationError(
      `the delivery was signed ${Math.round(Math.abs(age))} s ${age > 0 ? "ago" : "ahead"}, over 5 minutes: check the clock`,
    );
}

async function importSecret(secret: string): Promise<CryptoKey> {
  const key = decodeBase64(secret.replace(/^whsec_/, ""));
  if (!key?.length) throw new TypeError("secret must be the secret of the webhook: whsec_ and base64");
  return crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
}

/** Undefined for a text that is not base64. */
function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
