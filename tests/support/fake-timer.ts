import { yieldToEventLoop } from "../../db/event-loop.ts";
import type { Timer } from "../../db/timer.ts";

/** Time passes only when somebody sleeps and when a test lets it pass. */
export class FakeTimer implements Timer {
  #elapsed = 0;
  sleepCount = 0;
  /** How much longer than requested each sleep takes: the time of other work in the event loop. */
  delay = 0;

  elapsed = (): number => this.#elapsed;

  sleep = async (milliseconds: number): Promise<void> => {
    this.sleepCount += 1;
    this.pass(milliseconds + this.delay);
    await yieldToEventLoop();
  };

  pass(milliseconds: number): void {
    this.#elapsed += milliseconds;
  }
}
