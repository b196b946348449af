import type { PrintLine } from "../support/proof.ts";
import { type Connection, connectTo, requestOf } from "./raw-connection.ts";
import { type FeedChange, WebhookReceiver } from "./webhook-receiver.ts";

/** A program with webhooks that is killed and started again. */
export type KilledService = {
  url(): string;
  key: string;
  start(): Promise<unknown>;
  /** Kills the program; the next start delivers at once. */
  kill(): Promise<void>;
  /** Stops the program; resolves with the faults of its database. */
  end(): Promise<string[]>;
};

const writerCount = 4;
const accountCount = 12;
/** The deliveries between two kills. */
const [minDeliveries, maxDeliveries] = [10, 60];
/** Writers pause while this many changes are not delivered: a strict webhook gets one at a time. */
const maxBacklog = 100;
/** For deliveries to continue: longer than the first retry. */
const patienceMilliseconds = 20_000;

/** Kills a program that delivers while others write, and compares what its webhooks got with the feed. */
export async function killDeliveries(service: KilledService, kills: number, print: PrintLine) {
  const receiver = new WebhookReceiver();
  try {
    await service.start();
    const accounts = await createAccounts(service);
    for (const ordered of ["account", "strict"]) await addWebhook(service, receiver, ordered);
    let changeCount = accounts.length;
    const first = changeCount;
    const backlog = () => changeCount - first - receiver.answeredCount / receiver.webhooks.length;
    const write = async (): Promise<void> => {
      const connection = await connectTo(service.url());
      while (connection.isOpen()) {
        if (backlog() > maxBacklog) await Bun.sleep(5);
        else if (await changeAccount(connection, service, accounts)) changeCount += 1;
      }
    };
    const isDelivered = (isEnough: () => boolean) => continues(isEnough, () => receiver.answeredCount);
    let [killCount, isGoing] = [0, true];
    while (isGoing && killCount < kills) {
      const target = receiver.answeredCount + minDeliveries + Math.random() * (maxDeliveries - minDeliveries);
      const writers = Array.from({ length: writerCount }, write);
      isGoing = await isDelivered(() => receiver.answeredCount >= target);
      await service.kill();
      await Promise.all(writers);
      await service.start();
      killCount += 1;
      if (killCount % 50 === 0) print(`${killCount} kills, ${receiver.answeredCount} deliveries`);
    }
    const feed = await readFeedOf(service);
    if (isGoing) await isDelivered(() => receiver.missingCount(feed) === 0);
    // A repeat of the last ones would come now.
    await Bun.sleep(500);
    const faults = [...receiver.faults, ...receiver.compare(feed)];
    const { requestCount, repeatCount } = receiver;
    return {
      tried: {
        kills: killCount,
        changes: feed.length,
        requests: requestCount,
        "requests repeated": repeatCount,
      },
      faults: [...faults, ...(await service.end())],
    };
  } finally {
    await receiver.stop();
  }
}

/** Resolves with whether the condition has become true while there was progress. */
async function continues(isTrue: () => boolean, progress: () => number): Promise<boolean> {
  let last = Number.NaN;
  for (let deadline = 0; !isTrue(); await Bun.sleep(2)) {
    if (progress() !== last) deadline = performance.now() + patienceMilliseconds;
    last = progress();
    if (performance.now() > deadline) return false;
  }
  return true;
}

async function request({ url, key }: KilledService, method: string, path: string, body?: object) {
  const response = await fetch(`${url()}${path}`, {
    method,
    headers: { "x-api-key": key, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  // Safe: the API answers JSON.
  return (await response.json()) as {
    data: unknown;
    pagination?: { hasNextPage: boolean; nextAfter: number };
  };
}

async function createAccounts(service: KilledService): Promise<number[]> {
  const ids: number[] = [];
  for (let number = 0; number < accountCount; number += 1) {
    const { data } = await request(service, "POST", "/api/v1/accounts", { name: `Account ${number}` });
    // Safe: the reply is an account.
    ids.push((data as { id: number }).id);
  }
  return ids;
}

async function addWebhook(service: KilledService, receiver: WebhookReceiver, ordered: string) {
  const path = `/${ordered}`;
  const body = { url: `${receiver.url}${path}`, ordered };
  const { data } = await request(service, "POST", "/api/v1/webhooks", body);
  // Safe: the reply is a webhook.
  const { position } = data as { position: number };
  receiver.webhooks.push({ path, isStrict: ordered === "strict", after: position });
}

/** Resolves with whether the change was acknowledged. */
async function changeAccount(
  connection: Connection,
  { key }: KilledService,
  ids: number[],
): Promise<boolean> {
  const id = ids[Math.floor(Math.random() * ids.length)];
  const path = `/api/v1/accounts/${id}`;
  const answer = await connection.send(requestOf(key, "PATCH", path, { mrr: Math.random() }));
  return !("cut" in answer) && answer.status === 200;
}

async function readFeedOf(service: KilledService): Promise<FeedChange[]> {
  const all: FeedChange[] = [];
  for (let after = 0; ; ) {
    const { data, pagination } = await request(service, "GET", `/api/v1/changes?after=${after}`);
    // Safe: the reply is a page of the feed.
    all.push(...(data as FeedChange[]));
    if (!pagination?.hasNextPage) return all;
    after = pagination.nextAfter;
  }
}
