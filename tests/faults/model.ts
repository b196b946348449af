import fc from "fast-check";
import type { Outcome, Proof, Say, Scale } from "../support/proof.ts";
import { askOne, commands, type Tally } from "./model-commands.ts";
import type { Kind } from "./model-rows.ts";
import type { Asked } from "./model-rules.ts";
import { ground, type MakeApp, rightApp, Service } from "./model-service.ts";
import type { Model } from "./model-state.ts";

/** Sequences in all, how many are drawn at a time, and the milliseconds after which these are left. */
const sizes: Record<Scale, { sequences: number; drawn: number; time: number }> = {
  short: { sequences: 200, drawn: 200, time: 10_000 },
  long: { sequences: 10_000, drawn: 500, time: 3_600_000 },
};

/** Asks whatever can be asked, in any order and at once, and compares each answer with a simple model's. */
export const model: Proof = {
  name: "model",
  claim:
    "whatever is asked, in whatever order, at once and across restarts, the answers are those of a simple model",
  run: (_, scale, say) => tryModel(rightApp, scale, say),
  controls: [],
};

/**
 * The same of any service; `seed` says with which sequences. One that is known to be wrong has more time, and what is
 * found is not made shorter.
 */
export async function tryModel(
  make: MakeApp,
  scale: Scale,
  say: Say,
  { seed = 1, isWrong = false } = {},
): Promise<Outcome> {
  const { sequences, drawn, time } = sizes[scale];
  const how = { numRuns: drawn, endOnFailure: isWrong, interruptAfterTimeLimit: isWrong ? 5 * time : time };
  const tally: Tally = { sequences: 0, requests: 0, refusals: 0, "requests at once": 0, restarts: 0 };
  const faults: string[] = [];
  const { keys, copy, close } = await ground();
  let service: Service | undefined;
  const sequence = fc.asyncProperty(commands(tally), async (some) => {
    service ??= new Service(copy(), keys, make);
    const real = service;
    let isMore = false;
    try {
      const expected = real.next();
      await fc.asyncModelRun(() => ({ model: expected, real }), some);
      for (const asked of everything(expected)) await askOne(expected, real, asked, tally);
      tally.sequences += 1;
      isMore = real.done(expected);
    } finally {
      if (!isMore) {
        service = undefined;
        await real.close();
      }
    }
  });
  try {
    for (let begun = 0; begun < sequences && faults.length === 0; begun += drawn) {
      const found = await fc.check(sequence, { ...how, seed: seed + begun });
      if (found.failed) faults.push(`${fc.defaultReportMessage(found)}\n${found.errorInstance}`);
      say(`${tally.sequences} sequences, ${tally.requests} requests`);
    }
  } finally {
    await service?.close();
    close();
  }
  return { tried: tally, faults };
}

/** Requests that read all there is: what was answered must be stored, and nothing else. */
function everything(expected: Model): Asked[] {
  return [0, 1].flatMap((org) => {
    const asked = (op: Asked["op"], kind: Kind, id?: number): Asked => {
      return { org, op, kind, body: {}, query: { pageSize: "100" }, ...(id !== undefined && { id }) };
    };
    const accounts = expected.rows.filter(({ kind }) => kind === "accounts");
    const ids = accounts.filter((row) => row.org === org).map(({ id }) => id);
    return [
      // Those of the other organization are asked for too, and are not found.
      ...accounts.map(({ id }) => ({ ...asked("get", "accounts", id), query: {} })),
      asked("list", "accounts"),
      asked("list", "requests"),
      asked("unmatched", "accounts"),
      asked("healths", "accounts"),
      ...ids.flatMap((id) => [
        ...(["usage", "health"] as const).map((op) => ({ ...asked(op, "accounts", id), query: {} })),
        asked("list", "contacts", id),
        asked("list", "meetings", id),
      ]),
    ];
  });
}
