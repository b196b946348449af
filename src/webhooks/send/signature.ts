import { createHmac, randomBytes } from "node:crypto";
import { version } from "../../version.ts";

const secretPrefix = "whsec_";
const secretBytes = 32;

/** A message to sign: Standard Webhooks 1.0 (https://www.standardwebhooks.com). */
type SignedMessage = {
  /** Equal for all attempts of a delivery. Without a full stop. */
  id: string;
  /** The time of the attempt in milliseconds since 1970 UTC. */
  timestamp: number;
  body: string;
  /** The media type of the body. */
  contentType: string;
  /** The secrets that are valid: during a rotation the new one and the previous one. */
  secrets: readonly string[];
};

/** A new secret: `whsec_` and 256 random bits in base64. */
export function newWebhookSecret(): string {
  return secretPrefix + randomBytes(secretBytes).toString("base64");
}

/** The headers of an attempt, with a signature for each secret. A receiver accepts the message if one is right. */
export function signedHeaders({ id, timestamp, body, contentType, secrets }: SignedMessage): {
  [name: string]: string;
} {
  const seconds = String(Math.floor(timestamp / 1_000));
  const content = `${id}.${seconds}.${body}`;
  return {
    "content-type": contentType,
    "user-agent": `accountd/${version}`,
    "webhook-id": id,
    "webhook-timestamp": seconds,
    "webhook-signature": secrets.map((secret) => `v1,${sign(content, secret)}`).join(" "),
  };
}

function sign(content: string, secret: string): string {
  const key = Buffer.from(secret.slice(secretPrefix.length), "base64");
  return createHmac("sha256", key).update(content).digest("base64");
}
