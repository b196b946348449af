import type { Engine, WatchOptions } from "../../db/engine.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { quantileOf } from "../support/quantile.ts";

/** Watches an engine until `end`. `next` resolves when an organization is reported after its call. */
export function watch(engine: Engine, options?: WatchOptions) {
  const reported: number[] = [];
  let wake = () => {};
  const end = engine.watchWrites((ids) => {
    reported.push(...ids);
    wake();
  }, options);
  closeAfterTest(async () => end());
  async function next(id: number): Promise<void> {
    reported.length = 0;
    while (!reported.includes(id))
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  }
  return { reported, next, end };
}

/** The median of the milliseconds from the commit of a write in one engine to its report in another one. */
export async function medianDelay(writer: Engine, next: (id: number) => Promise<void>): Promise<number> {
  const delays: number[] = [];
  for (let i = 0; i < 9; i += 1) {
    const found = next(1);
    await writer.write(1, async () => {});
    const committedAt = performance.now();
    await found;
    delays.push(performance.now() - committedAt);
  }
  return quantileOf(delays, 0.5);
}
