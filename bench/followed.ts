import { join } from "node:path";
import { contestants } from "./contestants.ts";
import { createAdminKey, createWebhooks, startWriter, withLoopback } from "./followed-server.ts";
import { startFollower } from "./follower-process.ts";
import type { FollowerCount } from "./follower-program.ts";
import { startLoad } from "./load.ts";
import { readProcessor, timesOf } from "./postgres/processor.ts";
import { median, type Single, type SingleName } from "./results.ts";
import { type Bench, warmer } from "./rounds.ts";
import { copyDatabase, removeDatabase, startServer } from "./server.ts";
import { figure } from "./table.ts";

const webhookCount = 10;
const streamCount = 100;
const pairsPerRound = 3;

/**
 * `followed`: the creates are followed. `followed-beside`: the changes of another organization are followed. They are
 * made at `writesPerSecond`, also in the runs without followers.
 */
const variants = [
  { name: "followed", of: "large", writesPerSecond: 0 },
  { name: "followed-beside", of: "medium", writesPerSecond: 20 },
] as const;
/** `microseconds`: processor time of the server for each create. */
type Creates = { perSecond: number; microseconds: number };
/** Two runs of creates, and what the followers received in a second. */
type Pair = { alone: Creates; followed: Creates; streams: FollowerCount; webhooks: FollowerCount };

/**
 * The rate of creates while 10 webhooks and 100 streams follow an organization, divided by the rate without, in pairs of
 * runs; and the processor time of the endpoint and of the readers. Throws if a create fails.
 */
export async function measureFollowed({ data, options, folder, print }: Bench): Promise<Single[]> {
  const accountd = contestants.find(({ name }) => name === "accountd");
  if (!accountd) return [];
  await using stack = new AsyncDisposableStack();
  const copy = join(folder, "followed.db");
  stack.defer(() => removeDatabase(copy));
  await copyDatabase(data.accountd, copy);
  const server = await startServer(withLoopback(accountd), copy);
  stack.defer(server.stop);
  const load = startLoad(data);
  stack.defer(load.end);
  const endpoint = await startFollower("receive");
  stack.defer(endpoint.end);
  // Webhooks begin with one request at a time.
  const span = warmer(options.span, true);
  const create = async (): Promise<Creates> => {
    const before = readProcessor({ pid: undefined }, server.pid);
    const { perSecond, failed } = await load.drive({ ...span, port: server.port, work: "create-again" });
    if (Object.keys(failed).length > 0) throw new Error(`creates failed: ${JSON.stringify(failed)}`);
    const after = readProcessor({ pid: undefined }, server.pid);
    return { perSecond, microseconds: timesOf(before, after, perSecond).contestant };
  };

  const singles: Single[] = [];
  for (const { name, of, writesPerSecond } of variants) {
    const org = data.organizations[of];
    const admin = await createAdminKey(accountd, copy, org.id);
    const webhooks = await createWebhooks(server.port, admin, endpoint.port, webhookCount);
    const writer = startWriter(server.port, org.key, writesPerSecond);
    const createFollowed = async () => {
      await webhooks.setActive(true);
      const reader = await startFollower("read", String(server.port), org.key, String(streamCount));
      try {
        const before = [await reader.count(), await endpoint.count()] as const;
        const start = performance.now();
        const followed = await create();
        const seconds = (performance.now() - start) / 1_000;
        const streams = perSecond(before[0], await reader.count(), seconds);
        return { followed, streams, webhooks: perSecond(before[1], await endpoint.count(), seconds) };
      } finally {
        await reader.end();
        await webhooks.setActive(false);
      }
    };
    const pairs: Pair[] = [];
    for (let i = 0; i < pairsPerRound * options.rounds; i += 1) {
      const pair = { alone: await create(), ...(await createFollowed()) };
      print(`${name}: ${describe(pair)}`);
      pairs.push(pair);
    }
    await writer.end();
    const single = (name: SingleName, value: (pair: Pair) => number) =>
      singles.push({ name, contestant: "accountd", value: median(pairs.map(value)) });
    single(name, ({ alone, followed }) => followed.perSecond / alone.perSecond);
    single(`${name}-time`, ({ alone, followed }) => followed.microseconds / alone.microseconds);
    single(
      `${name}-followers`,
      ({ streams, webhooks }) => (streams.milliseconds + webhooks.milliseconds) / 10,
    );
  }
  return singles;
}

function perSecond(before: FollowerCount, after: FollowerCount, seconds: number): FollowerCount {
  const rate = (name: keyof FollowerCount) => (after[name] - before[name]) / seconds;
  return { changes: rate("changes"), closed: rate("closed"), milliseconds: rate("milliseconds") };
}

function describe({ alone, followed, streams, webhooks }: Pair): string {
  return [
    ...Object.entries({ alone, followed }).map(
      ([name, { perSecond, microseconds }]) =>
        `${figure(perSecond)}/s ${name}, processor ${figure(microseconds)} µs`,
    ),
    `${figure(streams.changes)}/s to streams (${figure(streams.closed)}/s closed), ${figure(webhooks.changes)}/s to webhooks`,
    `readers ${figure(streams.milliseconds / 10)} %, endpoint ${figure(webhooks.milliseconds / 10)} % of a core`,
  ].join("; ");
}
