import type { Stream } from "./connections.ts";

export type Figures = {
  perSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  p999: number;
  max: number;
  answered: number;
  /** Error replies by status, including those of the warm-up. A measurement with any is invalid. */
  failed: Record<string, number>;
};

/** The minimum number of replies, in total and per connection. A measurement with fewer is extended, within limits. */
const minReplies = 10;
const minRepliesPerConnection = 3;

/** The measurement of a stream, from the last reply of the warm-up to the last one before the end. */
export class Tally {
  readonly stream: Stream;
  sent = 0;
  #since: number;
  #until: number;
  #answered = 0;
  #latencies: Float64Array;
  #failed: Record<string, number> = {};

  /** `capacity` is the initial number of latencies; it grows with the number of replies. */
  constructor(stream: Stream, since: number, capacity = 1 << 16) {
    this.stream = stream;
    this.#latencies = new Float64Array(capacity);
    this.#since = since;
    this.#until = since;
  }

  /** A reply of the warm-up: only a failure is counted. */
  warmUp(status: number, now: number): void {
    this.#since = now;
    this.#isSuccess(status);
  }

  note(status: number, now: number, latency: number): void {
    if (!this.#isSuccess(status)) return;
    if (this.#answered === this.#latencies.length) {
      const more = new Float64Array(2 * this.#latencies.length);
      more.set(this.#latencies);
      this.#latencies = more;
    }
    this.#latencies[this.#answered++] = latency;
    this.#until = now;
  }

  /** Counts a failure. */
  #isSuccess(status: number): boolean {
    if (status >= 200 && status <= 299) return true;
    this.#failed[status] = (this.#failed[status] ?? 0) + 1;
    return false;
  }

  isEnough(): boolean {
    const minCount = Math.max(minReplies, minRepliesPerConnection * this.stream.connections);
    return this.#answered >= minCount || Object.keys(this.#failed).length > 0;
  }

  figures(): Figures {
    const sorted = this.#latencies.subarray(0, this.#answered).sort();
    const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
    const seconds = (this.#until - this.#since) / 1000;
    return {
      perSecond: seconds > 0 ? this.#answered / seconds : 0,
      p50: at(0.5),
      p99: at(0.99),
      p999: at(0.999),
      max: at(1),
      answered: this.#answered,
      failed: this.#failed,
    };
  }
}
