import type { Timer } from "../../timer.ts";

/** After this time, only short writes are started, so that reads can run. */
const maxBatchMilliseconds = 20;
/** An organization whose last write took longer is slow. */
const maxShortMilliseconds = 1;
/** How long short writes are still started after the time of the batch. */
const maxOvertimeMilliseconds = 10;

/**
 * Decides which writes of a batch are started. After a slow write, those of fast organizations still run for some time:
 * otherwise each of them would wait for a whole batch of the slow organization.
 */
export class BatchTime {
  readonly #timer: Timer;
  /** The organizations whose last write was not short. */
  readonly #slowOrganizations = new Set<number>();
  #startedAt = 0;
  #lastEndedAt = 0;
  /** When the time of the batch was over. */
  #overAt: number | undefined;

  constructor(timer: Timer) {
    this.#timer = timer;
  }

  /** Called when a batch begins. */
  begin(): void {
    this.#startedAt = this.#timer.elapsed();
    this.#lastEndedAt = this.#startedAt;
    this.#overAt = undefined;
  }

  /** Whether a write of the organization may start. The first one of a batch always may. */
  allows(organizationId: number): boolean {
    if (this.#lastEndedAt - this.#startedAt > maxBatchMilliseconds) this.#overAt ??= this.#lastEndedAt;
    if (this.#overAt === undefined) return true;
    const isShort = !this.#slowOrganizations.has(organizationId);
    return isShort && this.#lastEndedAt - this.#overAt <= maxOvertimeMilliseconds;
  }

  /** Called when a write has ended. */
  markEnd(organizationId: number): void {
    const now = this.#timer.elapsed();
    if (now - this.#lastEndedAt > maxShortMilliseconds) this.#slowOrganizations.add(organizationId);
    else this.#slowOrganizations.delete(organizationId);
    this.#lastEndedAt = now;
  }
}
