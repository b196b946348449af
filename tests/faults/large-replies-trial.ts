import type { Running } from "../binary/binary.ts";
import { sendRequest } from "../binary/service.ts";
import { quantileOf } from "../support/quantile.ts";
import type { PathIds, ReplyGround } from "./large-replies-data.ts";
import { contactBatch, maxBatchBytes, type ReplyRow } from "./large-replies-rows.ts";
import { startLoad } from "./load.ts";
import { watchMemory } from "./memory.ts";
import { describeTimes, type Measurement, QuietClient, quietCalls } from "./quiet-client.ts";

type QuietMeasurement = Measurement<(typeof quietCalls)[number]>;
export type TrialPlan = { maxMilliseconds: number; maxRounds: number; checksTimes: boolean };
export type Trial = { faults: string[]; replies: number; quietReplies: number; line: string };

/** The measurement begins after this many replies, or milliseconds. */
const warmUp = { replies: 128, milliseconds: 3_000 };
const maxFirstReplyMilliseconds = 30_000;
/** The memory of connections that do not receive is measured for this time, until some of them are closed. */
const stalledMilliseconds = { short: 8_000, long: 25_000 };

/** Sends the requests of a row, and measures the memory of a new server and the replies to another organization. */
export async function tryRow(
  row: ReplyRow,
  ground: ReplyGround,
  ids: PathIds,
  plan: TrialPlan,
): Promise<Trial> {
  const server = await ground.serve();
  const { key } = ground;
  const quiet = await QuietClient.open(server, ground.quietKey, quietCalls);
  const { connections, isStalled, maxReplies } = row;
  const omission = row.omitsResults ? await omissionFault(server, key, ids) : [];
  const [sizeBefore, endWatch] = [await ground.size(), watchMemory(server.pid)];
  const requests = row.requests({ key, ids });
  const load = startLoad({ url: server.url, connections, requests, isStalled, maxReplies });
  // A load of few replies may end before the warm-up.
  await load.received(maxReplies === undefined ? warmUp.replies : 1, warmUp.milliseconds);
  const measured = await quiet.measure(quietCalls, {
    ...plan,
    ...(row.isStalled && {
      maxMilliseconds: plan.checksTimes ? stalledMilliseconds.long : stalledMilliseconds.short,
      maxRounds: Number.POSITIVE_INFINITY,
    }),
    replyCount: load.replyCount,
    isOver: load.isOver,
  });
  if (!row.isStalled) await load.received(1, maxFirstReplyMilliseconds);
  if (row.maxReplies !== undefined) await load.ended();
  const { statuses, largest } = await load.stop();
  const peak = endWatch();
  quiet.close();
  const growth = (await ground.size()) - sizeBefore;
  const faults = faultsOf(row, measured, plan.checksTimes);
  const { megabytes = Number.POSITIVE_INFINITY } = row.limits;
  if (peak > megabytes) faults.push(`${peak.toFixed(0)} MB of memory`);
  faults.push(...Object.keys(statuses).filter((status) => !/^(2|503 )/.test(status)));
  const successes = Object.entries(statuses).filter(([status]) => status.startsWith("2"));
  const replies = successes.reduce((sum, [, count]) => sum + count, 0);
  if (replies === 0 && !row.isStalled) faults.push("no request succeeds");
  const grown = replies > 0 ? growth / replies : 0;
  if (row.maxGrowth !== undefined && grown > row.maxGrowth)
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

function faultsOf(
  { limits }: ReplyRow,
  { times, failures }: QuietMeasurement,
  checksTimes: boolean,
): string[] {
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

/** The successes after the first bytes of a batch have the id of their row only. */
async function omissionFault({ url }: Running, key: string, ids: PathIds): Promise<string[]> {
  const reply = await sendRequest(url, key, "POST", "/api/v1/batch", contactBatch(ids));
  const results: { status: number; body: { data: object }; omitted?: boolean }[] =
    reply.body.data?.results ?? [];
  const firstOmitted = results.findIndex(({ omitted }) => omitted);
  if (firstOmitted < 1) return [`no result of a batch is omitted: ${reply.status}`];
  const isRight = results.every(
    ({ status, body: result, omitted = false }, i) =>
      status === 200 &&
      omitted === i >= firstOmitted &&
      (Object.keys(result.data).join() === "id") === omitted,
  );
  return isRight ? [] : ["a batch omits other results than the last ones"];
}
