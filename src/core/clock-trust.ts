import { lte } from "drizzle-orm";
import type { Engine } from "../../db/engine.ts";
import { integerInput } from "../../db/expressions.ts";
import { clockGaps } from "../../db/schema.ts";
import { remove } from "../../db/statements.ts";

const deleteGaps = remove("clockGaps.delete", {
  from: clockGaps,
  where: lte(clockGaps.startedAt, integerInput("now")),
});

/** Lets retention follow the clock from now on, also after a restart. */
export async function trustClock(engine: Engine): Promise<void> {
  engine.clock.trust();
  await engine.write(0, (tx) => tx.run(deleteGaps, { now: tx.now }));
}
