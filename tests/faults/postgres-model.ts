import type { Outcome, PrintLine, Proof, Scale } from "../support/proof.ts";
import { tryModel } from "./model.ts";
import { wrongApps, wrongCopies } from "./model-broken.ts";
import { postgresGround } from "./model-postgres.ts";
import { type MakeApp, rightApp } from "./model-service.ts";

/** As in the proof `model`, for each number of copies. */
const sizes: Record<Scale, { sequences: number; drawn: number }> = {
  short: { sequences: 16, drawn: 8 },
  long: { sequences: 500, drawn: 50 },
};
const lostChange = "one change of a hundred is answered and not stored";

/** The proof `model` on PostgreSQL: on one copy, and with requests that alternate between two copies. */
export const postgresModel: Proof = {
  name: "postgres-model",
  claim: "on one copy and on two copies with PostgreSQL, the answers are those of the same simple model",
  async run(_, scale, print): Promise<Outcome> {
    const one = await tryCopies(1, rightApp, scale, print);
    const two = await tryCopies(2, rightApp, scale, print);
    const tried = Object.entries(one.tried).map(([what, count]) => [what, count + (two.tried[what] ?? 0)]);
    return { tried: Object.fromEntries(tried), faults: [...one.faults, ...two.faults] };
  },
  controls: Object.entries({ [lostChange]: wrongApps[lostChange], ...wrongCopies }).map(([name, wrong]) => ({
    name,
    run: (print) => tryCopies(2, wrong?.() ?? rightApp, "short", print, { isWrong: true }),
  })),
};

function tryCopies(
  count: number,
  make: MakeApp,
  scale: Scale,
  print: PrintLine,
  options = {},
): Promise<Outcome> {
  return tryModel(make, sizes[scale], print, { ...options, ground: () => postgresGround(count) });
}
