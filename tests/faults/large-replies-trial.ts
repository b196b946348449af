import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { folder, type Running } from "../binary/binary.ts";
import { sendRequest } from "../binary/service.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { quantileOf } from "../support/quantile.ts";
import { withTimeLimit } from "../support/time-limit.ts";
import type { PathIds } from "./large-replies-data.ts";
import type { ReplyGround } from "./large-replies-ground.ts";
import type { LoadOrder, LoadRequest, LoadResult } from "./large-replies-load.ts";
import { describeTimes, type Measurement, QuietClient, quietCalls } from "./large-replies-quiet.ts";
import { maxBatchBytes, type ReplyRow } from "./large-replies-rows.ts";
import { watchPrivateMemory } from "./private-memory.ts";

export type TrialPlan = { maxMilliseconds: number; maxRounds: number; checksTimes: boolean };
export type Trial = { faults: string[]; replies: number; quietReplies: number; line: string };

/** The measurement begins after this many replies, or milliseconds. */
const warmUp = { replies: 128, milliseconds: 3_000 };
/** The time in which a load with a number of replies must end. */
const hopelessMilliseconds = 120_000;

/** Sends the requests of a row, and measures the memory of a new server and the replies to another organization. */
export async function tryRow(
  row: ReplyRow,
  ground: ReplyGround,
  ids: PathIds,
  plan: TrialPlan,
): Promise<Trial> {
  const server = await ground.serve();
  const quiet = await QuietClient.open(server, ground.quietKey);
  const requests = row.requests(ids);
  const omission = row.omitsResults ? await omissionFault(server, ground.key, requests[0]) : [];
  const [sizeBefore, endWatch] = [await ground.size(), watchPrivateMemory(server.pid)];
  const load = startLoad(row, requests, ground, server);
  await load.warmUp();
  const measured = await quiet.measure({ ...plan, replyCount: load.replyCount, isOver: load.isOver });
  if (row.maxReplies !== undefined) await load.ended();
  const { statuses, largest } = await load.stop();
  const peak = endWatch();
  quiet.close();
  const growth = (await ground.size()) - sizeBefore;
  const faults = faultsOf(row, measured, plan.checksTimes);
  const { megabytes = Number.POSITIVE_INFINITY } = row.limits;
  if (peak > megabytes) faults.push(`${peak.toFixed(0)} MB of memory`);
  faults.push(...Object.keys(statuses).filter((status) => !/^(2|503 )/.test(status)));
  const replies = Object.values(statuses).reduce((sum, count) => sum + count, 0);
  const grown = growth / Math.max(1, replies);
  if (row.maxGrowth !== undefined && !(grown <= row.maxGrowth))
    faults.push(`the database grows by ${(grown / 1e6).toFixed(1)} MB for each request`);
  if (row.omitsResults) {
    if (largest > maxBatchBytes) faults.push(`a reply of ${(largest / 1e6).toFixed(1)} MB`);
    faults.push(...omission);
  }
  await server.stop("SIGKILL");
  const counts = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`);
  const size = row.maxGrowth === undefined ? "" : `, ${(grown / 1e6).toFixed(2)} MB of the database for each`;
  const found = [...new Set(faults)];
  return {
    faults: found.map((fault) => `${row.name}: ${fault}`),
    replies,
    quietReplies: measured.times.livez.all.length * quietCalls.length,
    line: `${row.name}: peak ${peak.toFixed(0)} MB; ${describeTimes(measured.times)}; ${counts.join(", ")}; largest ${(largest / 1e6).toFixed(2)} MB${size}; ${found.length > 0 ? `FOUND ${found.join(", ")}` : "holds"}`,
  };
}

function faultsOf({ limits }: ReplyRow, { times, failures }: Measurement, checksTimes: boolean): string[] {
  const faults = [...failures];
  for (const call of quietCalls) {
    const { net, overtaking } = times[call];
    if (net.length === 0) {
      faults.push(`no reply to ${call}`);
      continue;
    }
    const [p99, before] = [quantileOf(net, 0.99), quantileOf(overtaking, 0.5)];
    const max = limits[call];
    if (checksTimes && max !== undefined && p99 > max) faults.push(`${call} takes ${p99.toFixed(1)} ms`);
    if (limits.overtaking !== undefined && before > limits.overtaking)
      faults.push(`${before} replies are sent before the reply to ${call}`);
  }
  return faults;
}

/** The successes after the first bytes of a batch have no body. */
async function omissionFault({ url }: Running, key: string, request?: LoadRequest): Promise<string[]> {
  if (!request?.body) throw new Error("a row without a batch");
  const { method, path, body } = request;
  const reply = await sendRequest(url, key, method, path, JSON.parse(body));
  const results: { status: number; body: unknown; omitted?: boolean }[] = reply.body.data?.results ?? [];
  const firstOmitted = results.findIndex(({ omitted }) => omitted);
  if (firstOmitted < 1) return [`no result of a batch is omitted: ${reply.status}`];
  const isRight = results.every(
    ({ status, body: result, omitted = false }, i) =>
      status === 200 &&
      omitted === i >= firstOmitted &&
      (result === null || result === undefined) === omitted,
  );
  return isRight ? [] : ["a batch omits other results than the last ones"];
}

/** Starts the load in another process. `replyCount` is the number of its replies so far. */
function startLoad(row: ReplyRow, requests: readonly LoadRequest[], { key }: ReplyGround, { url }: Running) {
  const counterFile = join(folder(), "replies");
  writeFileSync(counterFile, new Uint8Array(4));
  const counter = new Uint32Array(Bun.mmap(counterFile).buffer);
  const { connections, isStalled = false, maxReplies } = row;
  const order: LoadOrder = {
    url,
    key,
    connections,
    requests,
    counterFile,
    isReading: !isStalled,
    maxReplies,
  };
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "large-replies-load.ts")], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  closeAfterTest(() => {
    child.kill("SIGKILL");
    return child.exited;
  });
  child.stdin.write(`${JSON.stringify(order)}\n`);
  child.stdin.flush();
  const replyCount = () => counter[0] ?? 0;
  return {
    replyCount,
    isOver: () => child.exitCode !== null,
    ended: () => withTimeLimit(hopelessMilliseconds, child.exited, 0),
    async warmUp() {
      const end = performance.now() + warmUp.milliseconds;
      while (replyCount() < Math.min(warmUp.replies, maxReplies ?? warmUp.replies) && performance.now() < end)
        await Bun.sleep(5);
    },
    async stop(): Promise<LoadResult> {
      child.stdin.end();
      return JSON.parse(await new Response(child.stdout).text());
    },
  };
}
