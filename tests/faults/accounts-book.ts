import { sendRequest } from "../binary/service.ts";
import { withTimeLimit } from "../support/time-limit.ts";
import type { Reply } from "../support/world.ts";

const accounts = "/api/v1/accounts";
/** The maximum milliseconds of every request. */
const patience = 5_000;
const hopeless = 20_000;
const together = 16;

let books = 0;

/** Creates accounts during failures, and records the replies to compare them with the stored rows. */
export class AccountsBook {
  readonly faults: string[] = [];
  /** The accounts with a 201 reply, and the milliseconds of each. */
  readonly stored = new Map<string, number>();
  readonly refused = new Set<string>();
  readonly #key: string;
  readonly #patience: number;
  readonly #series: number;
  #next = 0;

  constructor(key: string, { answeredWithin = patience } = {}) {
    this.#key = key;
    this.#patience = answeredWithin;
    this.#series = ++books;
  }

  /** Creates one account and records the reply: 201 or a 503 problem. Any other reply, or none, is a fault. */
  async write(url: string): Promise<number | undefined> {
    const externalId = `written-${this.#series}-${++this.#next}`;
    const start = performance.now();
    const answering = sendRequest(url, this.#key, "POST", accounts, { name: externalId, externalId });
    const reply = await withTimeLimit(hopeless, answering.catch(String), "nothing");
    const took = performance.now() - start;
    if (took > this.#patience) this.faults.push(`${externalId} was answered after ${Math.round(took)} ms`);
    if (typeof reply === "string") {
      this.faults.push(`${externalId} was answered with ${reply}`);
      return undefined;
    }
    if (reply.status === 201) this.stored.set(externalId, took);
    else if (reply.status >= 500) this.refused.add(externalId);
    if (reply.status !== 201 && !isRefusal(reply))
      this.faults.push(`${externalId} was answered ${reply.status} ${reply.text}`);
    return reply.status;
  }

  /** Reads every account: those with a 201 reply must exist, those with a 5xx reply must not. */
  async readBack(url: string): Promise<void> {
    const rest = [...this.stored.keys(), ...this.refused];
    const lookOneByOne = async () => {
      for (let id = rest.pop(); id !== undefined; id = rest.pop()) {
        const { status, text, body } = await sendRequest(
          url,
          this.#key,
          "GET",
          `${accounts}?externalId=${id}`,
        );
        if (status !== 200) throw new Error(`the list is ${status}: ${text}`);
        const count: number = body.data.length;
        if (this.stored.has(id) && count !== 1) this.faults.push(`${id} was answered 201 and is lost`);
        if (this.refused.has(id) && count !== 0) this.faults.push(`${id} was answered 5xx and is there`);
      }
    };
    await Promise.all(Array.from({ length: together }, lookOneByOne));
  }
}

/** Whether the reply is the problem that nothing was stored, with Retry-After. */
function isRefusal({ status, headers, body }: Reply): boolean {
  return (
    status === 503 &&
    headers.get("content-type") === "application/problem+json" &&
    /^store_(?:busy|failed)$/.test(body.code) &&
    Number(headers.get("retry-after")) > 0
  );
}
