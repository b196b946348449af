/** Smallest difference between wall clock and monotonic clock that counts as a jump. */
export const minJumpMilliseconds = 3_600_000;
/** The time after a jump in which retention does not follow it. */
export const distrustMilliseconds = 86_400_000;

export type ClockOptions = {
  /** The wall clock, in milliseconds since 1970 UTC. */
  clock: () => number;
  /** The monotonic clock, in milliseconds. */
  elapsed?: (() => number) | undefined;
  /** Called once for each jump, with its size in milliseconds: negative when the clock was set back. */
  onJump?: ((milliseconds: number) => void) | undefined;
  /** How far the wall clock is ahead of the clock of the database's server. More than an hour is a jump at the start. */
  aheadMilliseconds?: number | undefined;
  /** A start at which the clock was far ahead of the newest stored time: `clock-gaps.ts`. */
  gap?: { startedAt: number; newestAt: number } | undefined;
};

/** The wall clock, which is compared with the monotonic clock each time that it is read. */
export class ServiceClock {
  readonly #clock: () => number;
  readonly #elapsed: () => number;
  readonly #onJump: (milliseconds: number) => void;
  /** The difference of the two clocks, now and before the jumps that are not trusted yet. */
  #offset: number;
  #trustedOffset: number;
  #jumpedAt = Number.NEGATIVE_INFINITY;
  /** Until this time of the monotonic clock, retention counts from a time before the gap. */
  #gapEndsAt = Number.NEGATIVE_INFINITY;
  #gapMilliseconds = 0;

  constructor({
    clock,
    elapsed = () => performance.now(),
    onJump = () => {},
    aheadMilliseconds = 0,
    gap,
  }: ClockOptions) {
    this.#clock = clock;
    this.#elapsed = elapsed;
    this.#onJump = onJump;
    this.#offset = clock() - elapsed();
    this.#trustedOffset = this.#offset;
    if (gap) {
      this.#gapEndsAt =
        elapsed() + distrustMilliseconds - Math.max(0, clock() - aheadMilliseconds - gap.startedAt);
      this.#gapMilliseconds = gap.startedAt - gap.newestAt;
    }
    if (aheadMilliseconds <= minJumpMilliseconds) return;
    this.#trustedOffset -= aheadMilliseconds;
    this.#jumpedAt = elapsed();
  }

  /** Milliseconds since 1970 UTC; may go back. */
  wallTime(): number {
    const wall = this.#clock();
    const elapsed = this.#elapsed();
    const step = wall - elapsed - this.#offset;
    this.#offset += step;
    if (Math.abs(step) <= minJumpMilliseconds) this.#trustedOffset += step;
    else {
      this.#jumpedAt = elapsed;
      this.#onJump(Math.round(step));
    }
    if (elapsed - this.#jumpedAt >= distrustMilliseconds) this.#trustedOffset = this.#offset;
    return wall;
  }

  /** The time of a receipt, by which a row becomes too old: the wall clock, but without a jump ahead in its first 24 hours. */
  receiptTime(): number {
    const wall = this.wallTime();
    return Math.min(wall, Math.floor(wall + (this.#trustedOffset - this.#offset)));
  }

  /** The time that decides what is too old: `receiptTime`, but without a gap at the start in its first 24 hours. */
  retentionTime(): number {
    return this.receiptTime() - (this.#elapsed() < this.#gapEndsAt ? this.#gapMilliseconds : 0);
  }

  /** Lets retention follow the wall clock from now on. */
  trust(): void {
    this.wallTime();
    this.#jumpedAt = Number.NEGATIVE_INFINITY;
    this.#gapEndsAt = Number.NEGATIVE_INFINITY;
    this.#trustedOffset = this.#offset;
  }
}

/** The time of the transactions of a process. */
export class TransactionClock {
  readonly #clock: ServiceClock;
  #lastAt = 0;

  constructor(clock: ServiceClock) {
    this.#clock = clock;
  }

  /** Milliseconds since 1970 UTC: never earlier than the last transaction, unless that is ahead by a jump. */
  now(): number {
    const wall = this.#clock.wallTime();
    if (this.#lastAt > wall + minJumpMilliseconds) this.#lastAt = 0;
    return Math.max(wall, this.#lastAt);
  }

  /** Keeps the time of a transaction, unless it is ahead by a jump: the clock was set back since it began. */
  keep(time: number): void {
    if (time > this.#clock.wallTime() + minJumpMilliseconds) return;
    this.#lastAt = Math.max(this.#lastAt, time);
  }
}
