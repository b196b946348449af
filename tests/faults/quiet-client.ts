import type { Running } from "../binary/binary.ts";
import { sendRequest } from "../binary/service.ts";
import { quantileOf } from "../support/quantile.ts";
import { queuedTimeOf, runningTimeOf } from "../support/queued-time.ts";
import { withTimeLimit } from "../support/time-limit.ts";
import { type Connection, connectTo, requestOf } from "./raw-connection.ts";

const accounts = "/api/v1/accounts";
/** The requests of a key, its account and the number of earlier requests. */
const requests = {
  get: (key: string, id: number) => requestOf(key, "GET", `${accounts}/${id}`),
  patch: (key: string, id: number, mrr: number) => requestOf(key, "PATCH", `${accounts}/${id}`, { mrr }),
  livez: (key: string) => requestOf(key, "GET", "/livez"),
  list: (key: string) => requestOf(key, "GET", `${accounts}?pageSize=10`),
  create: (key: string, _: number, round: number) =>
    requestOf(key, "POST", accounts, { name: `New ${round}` }),
  search: (key: string) => requestOf(key, "GET", `${accounts}?search=o&sortBy=mrr`),
};
export type QuietCall = keyof typeof requests;
export const quietCalls = ["get", "patch", "livez"] as const;

/**
 * For each reply: milliseconds with and without the time in the scheduler's queue, and the number of replies to the load
 * that were received since the request was sent.
 */
export type QuietTimes = { all: number[]; net: number[]; overtaking: number[] };
export type Measurement<Call extends QuietCall> = { times: Record<Call, QuietTimes>; failures: string[] };
type MeasureOptions = {
  maxMilliseconds?: number;
  maxRounds?: number;
  replyCount: () => number;
  isOver?: () => boolean;
};

const warmUpRounds = 20;
/** The pause between two requests. */
const pauseMilliseconds = 2;
const hopelessMilliseconds = 30_000;

/** Another organization, which sends requests in turn on one connection. */
export class QuietClient<Call extends QuietCall> {
  readonly #server: Running;
  readonly #key: string;
  readonly #id: number;
  readonly #connection: Connection;
  #round = 0;

  private constructor(server: Running, key: string, id: number, connection: Connection) {
    this.#server = server;
    this.#key = key;
    this.#id = id;
    this.#connection = connection;
  }

  /** The first calls of a process are slower, because their code is not compiled yet: they are not measured. */
  static async open<Call extends QuietCall>(server: Running, key: string, calls: readonly Call[]) {
    const { body } = await sendRequest(server.url, key, "POST", accounts, { name: "Quiet" });
    const client = new QuietClient<Call>(server, key, body.data.id, await connectTo(server.url));
    for (let i = 0; i < warmUpRounds; i += 1) for (const call of calls) await client.#send(call);
    return client;
  }

  async measure(calls: readonly Call[], options: MeasureOptions): Promise<Measurement<Call>> {
    const { maxMilliseconds = Number.POSITIVE_INFINITY, maxRounds = Number.POSITIVE_INFINITY } = options;
    const { replyCount, isOver = () => false } = options;
    // Safe: it has each call.
    const times = Object.fromEntries(
      calls.map((call) => [call, { all: [], net: [], overtaking: [] }]),
    ) as unknown as Record<Call, QuietTimes>;
    const failures: string[] = [];
    const end = performance.now() + maxMilliseconds;
    for (let round = 0; round < maxRounds && performance.now() < end && !isOver(); round += 1) {
      for (const call of calls) {
        const [readTimer, before] = [this.#startTimer(), replyCount()];
        const status = await this.#send(call);
        const { time, netTime } = readTimer();
        const { all, net, overtaking } = times[call];
        all.push(time);
        net.push(netTime);
        overtaking.push(replyCount() - before);
        if (status !== (call === "create" ? 201 : 200))
          failures.push(`${call} is ${status || "cut"} after ${time.toFixed(0)} ms`);
        if (status === 0) return { times, failures };
        await Bun.sleep(pauseMilliseconds);
      }
    }
    return { times, failures };
  }

  close(): void {
    this.#connection.close();
  }

  /** Resolves with the status, or 0 without a reply. */
  async #send(call: Call): Promise<number> {
    this.#round += 1;
    const sending = this.#connection.send(requests[call](this.#key, this.#id, this.#round));
    const answer = await withTimeLimit(hopelessMilliseconds, sending, { cut: "" });
    return "cut" in answer ? 0 : answer.status;
  }

  /**
   * Returns a function that returns the time since the call, and without the time in the scheduler's queue: not less than
   * the time for which the server ran, because both processes can be in the queue at the same time.
   */
  #startTimer(): () => { time: number; netTime: number } {
    const { pid } = this.#server;
    const read = () => ({
      now: performance.now(),
      server: queuedTimeOf(pid),
      self: queuedTimeOf("self"),
      running: runningTimeOf(pid),
    });
    const start = read();
    return () => {
      const end = read();
      const time = end.now - start.now;
      const self = end.self - start.self;
      const longest = Math.max(time - (end.server - start.server), end.running - start.running);
      return { time, netTime: Math.max(0, longest - self) };
    };
  }
}

/** The times as text: without the time in the scheduler's queue, and the p99 with it in parentheses. */
export function describeTimes(times: Readonly<Record<string, QuietTimes>>): string {
  return Object.entries(times)
    .map(([call, { all, net, overtaking }]) => {
      if (all.length === 0) return `${call} –`;
      const [p50, p99, whole] = [quantileOf(net, 0.5), quantileOf(net, 0.99), quantileOf(all, 0.99)];
      return `${call} p50 ${p50.toFixed(1)} p99 ${p99.toFixed(1)} (${whole.toFixed(1)}) ms after ${quantileOf(overtaking, 0.5)} replies`;
    })
    .join(", ");
}
