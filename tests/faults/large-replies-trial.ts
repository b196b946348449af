import type { Running } from "../binary/binary.ts";
import { sendRequest } from "../binary/service.ts";
import { quantileOf } from "../support/quantile.ts";
import type { PathIds, ReplyGround } from "./large-replies-data.ts";
import { contactBatch, type ReplyRow } from "./large-replies-rows.ts";
import { type LoadResult, startLoad } from "./load.ts";
import { watchMemory } from "./memory.ts";
import { describeTimes, type Measurement, QuietClient, quietCalls } from "./quiet-client.ts";
import { watchUnread } from "./unread-connections.ts";

type QuietMeasurement = Measurement<(typeof quietCalls)[number]>;
export type TrialPlan = { maxMilliseconds: number; maxRounds: number; checksTimes: boolean };
export type Trial = { faults: string[]; replies: number; quietReplies: number; line: string };
/** `unreadSeconds`: from the last progress of a connection that does not receive until the server closed it. */
type Result = LoadResult & {
  measured: QuietMeasurement;
  peak: number;
  growth: number;
  unreadSeconds: number[];
};

/** The measurement begins after this many replies, or milliseconds. */
const warmUp = { replies: 128, milliseconds: 3_000 };
const maxFirstReplyMilliseconds = 30_000;
/** Connections that do not receive are measured for this time, until they are closed. */
const stalledMilliseconds = { short: 8_000, long: 30_000 };
/** The time from the last progress until a connection is closed. */
const closedSeconds = { min: 10, max: 16 };

/** Sends the requests of a row, and measures the memory of a new server and the replies to another organization. */
export async function tryRow(
  row: ReplyRow,
  ground: ReplyGround,
  ids: PathIds,
  plan: TrialPlan,
): Promise<Trial> {
  const server = await ground.serve();
  const omission = row.omitsResults ? await omissionFault(server, ground.key, ids) : [];
  const result = await measure(row, ground, ids, plan, server);
  await server.stop("SIGKILL");
  const { statuses, measured } = result;
  const successes = Object.entries(statuses).filter(([status]) => isSuccess(row, status));
  const replies = successes.reduce((sum, [, count]) => sum + count, 0);
  const faults = [
    ...timeFaults(row, measured, plan.checksTimes),
    ...omission,
    ...replyFaults(row, result, replies),
    ...(plan.checksTimes ? closingFaults(row, result) : []),
  ];
  const found = [...new Set(faults)];
  return {
    faults: found.map((fault) => `${row.name}: ${fault}`),
    replies,
    quietReplies: measured.times.livez.all.length * quietCalls.length,
    line: `${row.name}: ${describe(row, result, replies)}; ${found.length > 0 ? `FOUND ${found.join(", ")}` : "holds"}`,
  };
}

/** Whatever fails, nothing of the measurement stays open: it would keep the process running. */
async function measure(
  row: ReplyRow,
  ground: ReplyGround,
  ids: PathIds,
  plan: TrialPlan,
  server: Running,
): Promise<Result> {
  const { connections, isStalled, maxReplies, isMeasuredFirst } = row;
  const requests = row.requests({ key: ground.key, ids });
  const sizeBefore = await ground.size();
  const quiet = await QuietClient.open(server, ground.quietKey, quietCalls);
  const endWatch = watchMemory(server.pid);
  const endUnread = isStalled ? watchUnread(Number(new URL(server.url).port)) : () => [];
  try {
    const load = startLoad({ url: server.url, connections, requests, isStalled, maxReplies });
    // A load of few replies may end before the warm-up.
    if (!isMeasuredFirst)
      await load.received(maxReplies === undefined ? warmUp.replies : 1, warmUp.milliseconds);
    const { checksTimes } = plan;
    const measured = await quiet.measure(quietCalls, {
      ...plan,
      ...(isStalled && {
        maxMilliseconds: checksTimes ? stalledMilliseconds.long : stalledMilliseconds.short,
        maxRounds: Number.POSITIVE_INFINITY,
      }),
      ...(isMeasuredFirst && {
        maxMilliseconds: maxFirstReplyMilliseconds,
        maxRounds: Number.POSITIVE_INFINITY,
      }),
      replyCount: load.replyCount,
      isOver: load.isOver,
    });
    if (!isStalled) await load.received(1, maxFirstReplyMilliseconds);
    if (maxReplies !== undefined) await load.ended();
    const unreadSeconds = endUnread();
    const sent = await load.stop();
    const growth = (await ground.size()) - sizeBefore;
    return { ...sent, measured, peak: endWatch(), growth, unreadSeconds };
  } finally {
    endWatch();
    endUnread();
    quiet.close();
  }
}

function isSuccess({ refusal }: ReplyRow, status: string): boolean {
  return refusal === undefined ? status.startsWith("2") : status === refusal;
}

function replyFaults(row: ReplyRow, { statuses, largest, peak, growth }: Result, replies: number): string[] {
  const { megabytes = Number.POSITIVE_INFINITY } = row.limits;
  const { maxGrowth = Number.POSITIVE_INFINITY, maxReplyBytes = Number.POSITIVE_INFINITY } = row;
  const { otherStatuses = [] } = row;
  const allowed = (status: string) =>
    isSuccess(row, status) || status.startsWith("503 ") || otherStatuses.includes(status.slice(0, 3));
  const faults = Object.keys(statuses).filter((status) => !allowed(status));
  if (peak > megabytes) faults.push(`${peak.toFixed(0)} MB of memory`);
  if (replies === 0 && !row.isStalled) faults.push("no request succeeds");
  if (row.isLimited && !statuses["503 too_busy"]) faults.push("no request is refused");
  if (growth > maxGrowth * replies)
    faults.push(`the database grows by ${(growth / replies / 1e6).toFixed(1)} MB for each request`);
  if (largest > maxReplyBytes) faults.push(`a reply of ${(largest / 1e6).toFixed(1)} MB`);
  return faults;
}

function closingFaults({ isStalled }: ReplyRow, { unreadSeconds }: Result): string[] {
  if (!isStalled) return [];
  if (unreadSeconds.length === 0) return ["no connection is closed"];
  return unreadSeconds
    .filter((seconds) => seconds < closedSeconds.min || seconds > closedSeconds.max)
    .map((seconds) => `closed ${seconds.toFixed(1)} s after the last progress`);
}

function timeFaults(
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

function describe({ maxGrowth }: ReplyRow, result: Result, replies: number): string {
  const { peak, measured, statuses, largest, growth, unreadSeconds } = result;
  const counts = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`);
  const ends = [Math.min(...unreadSeconds), Math.max(...unreadSeconds)].map((end) => end.toFixed(1));
  return [
    `peak ${peak.toFixed(0)} MB`,
    describeTimes(measured.times),
    ...(counts.length > 0 ? [`${counts.join(", ")}, largest ${(largest / 1e6).toFixed(2)} MB`] : []),
    ...(unreadSeconds.length > 0
      ? [`${unreadSeconds.length} closed ${ends.join(" to ")} s after the last progress`]
      : []),
    ...(maxGrowth === undefined
      ? []
      : [`${(growth / replies / 1e6).toFixed(2)} MB of the database for each`]),
  ].join("; ");
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
