import { type FieldViolation, Problem } from "../../core/errors.ts";
import type { IdempotentWrite } from "../../core/tenant/idempotency.ts";

const maxKeyLength = 255;

/** The keys of the requests that run in this process, each with its organization. */
export type RunningKeys = Set<string>;

/** A request with an Idempotency-Key, and the hash of what the key is bound to. */
export class IdempotentRequest {
  readonly #key: string;
  readonly #running: RunningKeys;
  readonly #hash = new Bun.CryptoHasher("sha256");

  constructor(key: string, { method, url }: Request, running: RunningKeys) {
    this.#key = key;
    this.#running = running;
    this.#hash.update(`${method} ${url.slice(url.indexOf("/", "http://x".length))}\n`);
  }

  /** Adds the bytes of the body, after decompression. */
  addBody(bytes: Uint8Array): void {
    this.#hash.update(bytes);
  }

  /** Calls `run`. Throws `idempotency_key_in_use` while another request of the organization with this key runs. */
  async run<T>(organizationId: number, run: (write: IdempotentWrite) => Promise<T>): Promise<T> {
    const name = `${organizationId} ${this.#key}`;
    if (this.#running.has(name))
      throw new Problem("idempotency_key_in_use", { headers: { "retry-after": "1" } });
    this.#running.add(name);
    try {
      return await run({ key: this.#key, fingerprint: this.#hash.digest("hex") });
    } finally {
      this.#running.delete(name);
    }
  }
}

/**
 * The request's Idempotency-Key (draft-ietf-httpapi-idempotency-key-header); undefined without one. Throws
 * `invalid_request` unless it is 1 to 255 visible ASCII characters, with or without quotes.
 */
export function readIdempotencyKey(request: Request, running: RunningKeys): IdempotentRequest | undefined {
  const header = request.headers.get("idempotency-key");
  if (header === null) return undefined;
  const key = header.startsWith('"') ? quotedText(header) : header;
  const violation = validateKey(key);
  if (violation)
    throw new Problem("invalid_request", { errors: [{ header: "Idempotency-Key", ...violation }] });
  return new IdempotentRequest(key, request, running);
}

/** The text of a quoted string (RFC 8941); empty for another value. */
function quotedText(header: string): string {
  const [, text = ""] = /^"((?:[^"\\]|\\["\\])*)"$/.exec(header) ?? [];
  return text.replace(/\\(.)/g, "$1");
}

function validateKey(key: string): Pick<FieldViolation, "code" | "detail"> | undefined {
  if (key.length > maxKeyLength)
    return { code: "too_long", detail: `must be at most ${maxKeyLength} characters` };
  if (/^[!-~]+$/.test(key)) return undefined;
  return { code: "not_allowed", detail: `must be 1 to ${maxKeyLength} visible ASCII characters` };
}
