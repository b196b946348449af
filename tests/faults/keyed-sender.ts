/** How often each request is answered before the next one. */
const answersOfEach = 3;
const pauseMilliseconds = 5;
const patience = 30_000;

/** Sends creates with an Idempotency-Key, each until it was answered three times, to a server that fails meanwhile. */
export class KeyedSender {
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

/** The accounts that are not stored exactly once. `stored` are the names of all accounts. */
export function notOnce(senders: readonly KeyedSender[], stored: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const name of stored) counts.set(name, (counts.get(name) ?? 0) + 1);
  const names = new Set([...senders.flatMap(({ acknowledged }) => acknowledged), ...stored]);
  return [...names].flatMap((name) => {
    const count = counts.get(name) ?? 0;
    return count === 1 ? [] : `${name} is stored ${count} times`;
  });
}
