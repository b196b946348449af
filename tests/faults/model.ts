import fc from "fast-check";
import type { Outcome, PrintLine, Proof, Scale } from "../support/proof.ts";
import { wrongApps } from "./model-broken.ts";
import { wrongRequests } from "./model-broken-requests.ts";
import { askOne, commands, type Tally } from "./model-commands.ts";
import { type ModelGround, sqliteGround } from "./model-ground.ts";
import { beginnings, runInterleaved } from "./model-interleaved.ts";
import { type MakeApp, rightApp, Service } from "./model-service.ts";
import type { Model } from "./model-state.ts";
import { everything } from "./model-whole.ts";

/** The number of sequences, in total and of one kind in a batch. */
type Size = { sequences: number; drawn: number };
const sizes: Record<Scale, Size> = {
  short: { sequences: 100, drawn: 50 },
  long: { sequences: 10_000, drawn: 500 },
};

/** Sends random requests, also concurrently, and compares each reply with that of a simple model. */
export const model: Proof = {
  name: "model",
  claim:
    "whatever is asked, in whatever order, at once and across restarts, the answers are those of a simple model",
  run: (_, scale, print) => tryModel(rightApp, sizes[scale], print),
  controls: Object.entries({ ...wrongApps, ...wrongRequests }).map(([name, wrong]) => ({
    name,
    run: (print) => tryModel(wrong(), sizes.short, print, { isWrong: true }),
  })),
};

type ModelOptions = { seed?: number; isWrong?: boolean; ground?: () => Promise<ModelGround> };

/**
 * Runs the proof on any service; `seed` determines the sequences. A broken service gets more sequences, and a fault in
 * it is not shrunk.
 */
export async function tryModel(
  make: MakeApp,
  { sequences: wanted, drawn }: Size,
  print: PrintLine,
  { seed = 1, isWrong = false, ground = sqliteGround }: ModelOptions = {},
): Promise<Outcome & { tried: Tally }> {
  const sequences = wanted * (isWrong ? 5 : 1);
  const tally: Tally = {
    sequences: 0,
    requests: 0,
    refusals: 0,
    "requests at once": 0,
    "requests interleaved": 0,
    restarts: 0,
    replays: 0,
    "pages by cursor": 0,
  };
  const faults: string[] = [];
  const { organizations, copy, close } = await ground();
  let service: Service | undefined;
  /** Runs a command on the service and on the model, and compares all rows afterwards. */
  async function compare(act: (sides: { model: Model; real: Service }) => Promise<void>): Promise<void> {
    service ??= new Service(await copy(), organizations, make);
    const real = service;
    let isMore = false;
    try {
      const expected = real.next();
      await act({ model: expected, real });
      for (const asked of everything(expected)) await askOne(expected, real, asked, tally);
      tally.sequences += 1;
      isMore = real.done(expected);
    } finally {
      if (!isMore) {
        service = undefined;
        await real.close();
      }
    }
  }
  const inOrder = fc.asyncProperty(commands(tally), (some) =>
    compare((sides) => fc.asyncModelRun(() => sides, some)),
  );
  // One request runs at a time, until it waits for the scheduler again, so that faults are reproducible.
  const oneAtATime = async (go: () => Promise<void>) => {
    await go();
    await service?.atRest();
  };
  const interleaved = fc.asyncProperty(
    fc.scheduler({ act: oneAtATime }),
    beginnings(tally),
    (scheduler, some) => compare((sides) => runInterleaved(scheduler, sides, some)),
  );
  try {
    for (let begun = 0; begun < sequences && faults.length === 0; begun += drawn) {
      const sequence = (begun / drawn) % 2 === 0 ? inOrder : interleaved;
      const found = await fc.check<unknown>(sequence, {
        numRuns: drawn,
        endOnFailure: isWrong,
        seed: seed + begun,
      });
      if (found.failed) faults.push(`${fc.defaultReportMessage(found)}\n${found.errorInstance}`);
      print(`${tally.sequences} sequences, ${tally.requests} requests`);
    }
  } finally {
    await service?.close();
    await close();
  }
  return { tried: tally, faults };
}
