import type { PrintLine } from "../support/proof.ts";

/** How often each request is answered before the next one. */
const answersOfEach = 3;
const pauseMilliseconds = 5;
const patience = 30_000;

/** Sends creates with an Idempotency-Key, each until it was answered three times, to a server that fails meanwhile. */
class KeyedSender {
  readonly #name: string;
  readonly faults: string[] = [];
  /** The names of the accounts that were acknowledged. */
  readonly acknowledged: string[] = [];
  /** The requests that were sent again. */
  retries = 0;

  constructor(name: string) {
    this.#name = name;
  }

  async run(url: () => string, key: string, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const name = `${this.#name}-${this.acknowledged.length}`;
      const deadline = performance.now() + patience;
      const texts: string[] = [];
      for (let sent = 0; texts.length < answersOfEach; sent += 1) {
        if (performance.now() > deadline) throw new Error(`${name} was not answered in time`);
        if (sent > 0) this.retries += 1;
        const text = await this.#send(url, key, name);
        if (text === undefined) await Bun.sleep(pauseMilliseconds);
        else texts.push(text);
      }
      this.acknowledged.push(name);
      if (new Set(texts).size > 1) this.faults.push(`${name} was answered with ${texts.join(" and ")}`);
    }
  }

  /** Resolves with the body of the reply, or undefined when there is none now. */
  async #send(url: () => string, key: string, name: string): Promise<string | undefined> {
    try {
      const reply = await fetch(new URL("/api/v1/accounts", url()), {
        method: "POST",
        headers: { "x-api-key": key, "content-type": "application/json", "idempotency-key": name },
        body: JSON.stringify({ name, contactName: name }),
      });
      const text = await reply.text();
      if (reply.status === 201) return text;
      if (reply.status !== 409 && reply.status !== 503) this.faults.push(`${name}: ${reply.status} ${text}`);
    } catch {
      // The server is down, or ended while it replied.
    }
    return undefined;
  }
}

/** How often the server must fail, and how many requests must be sent again. */
export type Failures = { failures: number; retries: number };
const senderCount = 4;

/** Runs senders while `fail` makes the server fail again and again. It resolves with faults, after which it ends. */
export async function sendDuringFailures(
  { url, key }: { url: () => string; key: string },
  demand: Failures,
  fail: (count: number) => Promise<string[]>,
  print: PrintLine,
) {
  const senders = Array.from({ length: senderCount }, (_, i) => new KeyedSender(`s${i}`));
  const retries = () => senders.reduce((sum, sender) => sum + sender.retries, 0);
  const faults: string[] = [];
  let failures = 0;
  let isOver = false;
  const sending = Promise.all(senders.map((sender) => sender.run(url, key, () => isOver)));
  try {
    while ((failures < demand.failures || retries() < demand.retries) && faults.length === 0) {
      faults.push(...(await fail(failures)));
      failures += 1;
      if (failures % 20 === 0) print(`${failures} failures, ${retries()} requests sent again`);
      faults.push(...senders.flatMap((sender) => sender.faults));
    }
  } finally {
    isOver = true;
    await sending;
  }
  faults.push(...senders.flatMap((sender) => sender.faults));
  const acknowledged = senders.flatMap((sender) => sender.acknowledged);
  return {
    acknowledged,
    faults: [...new Set(faults)],
    tried: { "acknowledged creates": acknowledged.length, "requests sent again": retries() },
    failures,
  };
}

/** The accounts that are not stored exactly once. `stored` are the names of all accounts. */
export function notOnce(acknowledged: readonly string[], stored: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const name of stored) counts.set(name, (counts.get(name) ?? 0) + 1);
  const names = new Set([...acknowledged, ...stored]);
  return [...names].flatMap((name) => {
    const count = counts.get(name) ?? 0;
    return count === 1 ? [] : `${name} is stored ${count} times`;
  });
}
