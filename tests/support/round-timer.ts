import { pollMilliseconds, type Timer } from "../../db/timer.ts";
import { FakeTimer } from "./fake-timer.ts";

/** A timer for the scheduler: the interval between two rounds ends when a test says so; other sleeps take no time. */
export class RoundTimer implements Timer {
  readonly #timer = new FakeTimer();
  #roundEnded = Promise.withResolvers<void>();
  #intervalEnded = Promise.withResolvers<void>();
  /** Called with the milliseconds of each sleep in a round. */
  onSleep: (milliseconds: number) => void = () => {};

  elapsed = (): number => this.#timer.elapsed();

  sleep = async (milliseconds: number): Promise<void> => {
    if (milliseconds < pollMilliseconds) {
      this.onSleep(milliseconds);
      return this.#timer.sleep(milliseconds);
    }
    this.#intervalEnded = Promise.withResolvers();
    this.#roundEnded.resolve();
    await this.#intervalEnded.promise;
    this.pass(milliseconds);
  };

  pass(milliseconds: number): void {
    this.#timer.pass(milliseconds);
  }

  /** Makes every sleep in a round longer, as work of other requests does. */
  set delay(milliseconds: number) {
    this.#timer.delay = milliseconds;
  }

  /** Resolves when the round has ended. */
  roundEnd(): Promise<void> {
    return this.#roundEnded.promise;
  }

  endInterval(): void {
    this.#roundEnded = Promise.withResolvers();
    this.#intervalEnded.resolve();
  }

  /** Resolves when the next round has ended. */
  async nextRound(): Promise<void> {
    await this.roundEnd();
    this.endInterval();
    await this.roundEnd();
  }
}
