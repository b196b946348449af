/** A change of the feed. */
export type FeedChange = { sequence: number; accountId: number | null };
/** A request that a receiver got. */
type Receipt = { queue: string; sequence: number; body: unknown; isAnswered: boolean };
export type ReceivingWebhook = {
  path: string;
  isStrict: boolean /** Its position when it was created. */;
  after: number;
};

const maxDelayMilliseconds = 20;
/** Of these requests, one fails: its change is sent again. */
const requestsForFailure = 200;

/** An endpoint of webhooks that records each request, and answers after a short time. */
export class WebhookReceiver {
  readonly #receipts = new Map<string, Receipt[]>();
  readonly #open = new Set<string>();
  readonly #server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 60,
    fetch: (request) => this.#receive(request),
  });
  readonly webhooks: ReceivingWebhook[] = [];
  readonly faults: string[] = [];
  requestCount = 0;
  repeatCount = 0;
  #answered = new Map<string, Set<number>>();

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  stop(): Promise<void> {
    return this.#server.stop(true);
  }

  /** The changes that were answered with success at each webhook, in all. */
  get answeredCount(): number {
    return [...this.#answered.values()].reduce((sum, { size }) => sum + size, 0);
  }

  async #receive(request: Request): Promise<Response> {
    const { pathname: path } = new URL(request.url);
    // Safe: the program sends changes as in the feed.
    const body = (await request.json()) as FeedChange;
    const { sequence } = body;
    const isStrict = this.webhooks.some((webhook) => webhook.path === path && webhook.isStrict);
    const queue = `${path} ${isStrict ? "all" : body.accountId}`;
    const receipt: Receipt = { queue, sequence, body, isAnswered: false };
    const receipts = this.#receipts.get(path) ?? [];
    this.#receipts.set(path, receipts);
    receipts.push(receipt);
    this.requestCount += 1;
    if (this.#open.has(queue))
      this.faults.push(`change ${sequence} was sent to ${queue} next to another one`);
    this.#open.add(queue);
    const isFailure = this.requestCount % requestsForFailure === 0;
    // The connection of a program that was killed is closed before the next one starts.
    request.signal.addEventListener("abort", () => this.#open.delete(queue));
    await Bun.sleep(Math.random() * maxDelayMilliseconds);
    this.#open.delete(queue);
    if (request.signal.aborted) return new Response();
    if (isFailure) return new Response(null, { status: 500 });
    receipt.isAnswered = true;
    const answered = this.#answered.get(path) ?? new Set();
    this.#answered.set(path, answered);
    if (answered.has(sequence)) this.repeatCount += 1;
    answered.add(sequence);
    return new Response();
  }

  /** The changes that a webhook did not get, got in another order, or that are not in the feed. */
  compare(feed: readonly FeedChange[]): string[] {
    return this.webhooks.flatMap((webhook) => this.#compareOne(webhook, feed));
  }

  /** The number of changes that are not answered yet, of all webhooks. */
  missingCount(feed: readonly FeedChange[]): number {
    const wanted = this.webhooks.map(({ after }) => feed.filter(({ sequence }) => sequence > after).length);
    return wanted.reduce((sum, count) => sum + count, 0) - this.answeredCount;
  }

  #compareOne({ path, isStrict, after }: ReceivingWebhook, feed: readonly FeedChange[]): string[] {
    const wanted = feed.filter(({ sequence }) => sequence > after);
    const queues = Map.groupBy(wanted, ({ accountId }) => `${path} ${isStrict ? "all" : accountId}`);
    const receipts = this.#receipts.get(path) ?? [];
    const received = Map.groupBy(receipts, ({ queue }) => queue);
    const unknown = [...received.keys()].filter((queue) => !queues.has(queue));
    return [
      ...unknown.map((queue) => `${queue} got changes that are not in the feed`),
      ...[...queues].flatMap(([queue, changes]) => compareQueue(queue, changes, received.get(queue) ?? [])),
    ];
  }
}

/** Each receipt has to be the change after the answered ones, or the last answered one again. */
function compareQueue(queue: string, changes: readonly FeedChange[], receipts: readonly Receipt[]): string[] {
  let answeredCount = 0;
  for (const { sequence, body, isAnswered } of receipts) {
    const [previous, next] = [changes[answeredCount - 1], changes[answeredCount]];
    const change = [next, previous].find((expected) => expected?.sequence === sequence);
    if (!change) return [`${queue} got ${sequence} in place of ${next?.sequence ?? "nothing"}`];
    if (!Bun.deepEquals(change, body))
      return [`${queue} got ${sequence} with another content than the feed's`];
    if (isAnswered && change === next) answeredCount += 1;
  }
  const missing = changes[answeredCount];
  return missing ? [`${queue} did not get ${missing.sequence}`] : [];
}
