import type { Running } from "../binary/binary.ts";
import { quantileOf } from "../support/quantile.ts";
import { queuedTimeOf } from "../support/queued-time.ts";
import { connectTo, requestOf } from "./raw-connection.ts";

const accounts = "/api/v1/accounts";
const betweenRequestsMilliseconds = 2;
/** Of 1,000 other requests, 999 wait at most this long for a step of a job. */
const maxWaitMilliseconds = 50;
/** Repeated, because another program can delay one attempt. */
const attempts = 3;
/** A wait that is counted, in milliseconds. */
const slowMilliseconds = 50;

/** An account of each of two organizations, with their keys. */
export type Others = { key: string; kept: number; otherKey: string; other: number };

/** Milliseconds: of requests, and of the same without the time in which the machine ran other programs. */
type Waits = { all: number[]; net: number[] };
type WaitSummary = { count: number; max: number; netMax: number; net999: number; slow: number };

/** Reads and changes other accounts, of both organizations, one request after another on each of four connections. */
export class OtherRequests {
  readonly faults: string[] = [];
  readonly #server: Running;
  readonly #others: Others;
  #waits: Waits = { all: [], net: [] };
  #isOver = false;
  readonly #clients: Promise<void>[] = [];

  constructor(server: Running, others: Others) {
    this.#server = server;
    this.#others = others;
  }

  start(): void {
    const { key, otherKey, kept, other } = this.#others;
    this.#clients.push(
      this.#send(key, "GET", `${accounts}/${kept}`),
      this.#send(key, "PATCH", `${accounts}/${kept}`),
      this.#send(otherKey, "GET", `${accounts}/${other}`),
      this.#send(otherKey, "PATCH", `${accounts}/${other}`),
    );
  }

  /** What was measured since the last call. */
  take(): WaitSummary {
    const { all, net } = this.#waits;
    this.#waits = { all: [], net: [] };
    return {
      count: all.length,
      max: Math.max(...all),
      netMax: Math.max(...net),
      net999: net.length === 0 ? Number.POSITIVE_INFINITY : quantileOf(net, 0.999),
      slow: all.filter((wait) => wait > slowMilliseconds).length,
    };
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#clients);
  }

  async #send(key: string, method: string, path: string): Promise<void> {
    const connection = await connectTo(this.#server.url);
    for (let i = 0; !this.#isOver; i += 1) {
      const request = requestOf(key, method, path, method === "PATCH" ? { mrr: i } : undefined);
      const queued = this.#queuedTime();
      const start = performance.now();
      const answer = await connection.send(request);
      const wait = performance.now() - start;
      this.#waits.all.push(wait);
      this.#waits.net.push(wait - (this.#queuedTime() - queued));
      if ("cut" in answer || answer.status !== 200) {
        this.faults.push(`${method} ${path} is answered ${JSON.stringify(answer)}`);
        break;
      }
      await Bun.sleep(betweenRequestsMilliseconds);
    }
    connection.close();
  }

  /** Milliseconds in which the server or this process could have run, and the machine ran others. */
  #queuedTime(): number {
    return queuedTimeOf(this.#server.pid) + queuedTimeOf("self");
  }
}

/** The waits as text. */
export function describeWaits({ count, max, netMax, net999, slow }: WaitSummary): string {
  const [total, net, quantile] = [max, netMax, net999].map((time) => time.toFixed(0));
  return `${count} requests, longest ${total} ms, ${slow} over ${slowMilliseconds} ms; without other programs ${net} ms, 999 of 1000 within ${quantile} ms`;
}

/** Repeats an attempt in which other requests waited. Requests that waited in each attempt are a fault. */
export async function withoutWaits(attempt: () => Promise<{ faults: string[]; waits: WaitSummary }>) {
  let requests = 0;
  for (let count = 1; ; count += 1) {
    const { faults, waits } = await attempt();
    requests += waits.count;
    if (faults.length > 0 || waits.net999 <= maxWaitMilliseconds) return { faults, requests };
    if (count === attempts)
      return { faults: [`in each attempt requests waited: ${describeWaits(waits)}`], requests };
  }
}
