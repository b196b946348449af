import type { Stream } from "./connections.ts";

export type Figures = {
  perSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  max: number;
  answered: number;
  /** Error replies by status, including those of the warm-up. A measurement with any is invalid. */
  failed: Record<string, number>;
};

/** With fewer answers than these, in all and by connection, no figure is had: it goes on for longer, within bounds. */
const fewestAnswers = 10;
const fewestEach = 3;

/** What is measured of a stream: from the last answer of the warm-up to the last one before the end. */
export class Tally {
  readonly stream: Stream;
  sent = 0;
  #since: number;
  #until: number;
  #answered = 0;
  #latencies: Float64Array;
  #failed: Record<string, number> = {};

  /** With room for so many answers to begin with: it is made larger when there are more. */
  constructor(stream: Stream, since: number, room = 1 << 16) {
    this.stream = stream;
    this.#latencies = new Float64Array(room);
    this.#since = since;
    this.#until = since;
  }

  /** An answer of the warm-up: nothing but a failure counts. */
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

  /** Counts it if it is none. */
  #isSuccess(status: number): boolean {
    if (status >= 200 && status <= 299) return true;
    this.#failed[status] = (this.#failed[status] ?? 0) + 1;
    return false;
  }

  isEnough(): boolean {
    const fewest = Math.max(fewestAnswers, fewestEach * this.stream.connections);
    return this.#answered >= fewest || Object.keys(this.#failed).length > 0;
  }

  figures(): Figures {
    const sorted = this.#latencies.subarray(0, this.#answered).sort();
    const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
    const seconds = (this.#until - this.#since) / 1000;
    return {
      perSecond: seconds > 0 ? this.#answered / seconds : 0,
      p50: at(0.5),
      p99: at(0.99),
      max: at(1),
      answered: this.#answered,
      failed: this.#failed,
    };
  }
}
