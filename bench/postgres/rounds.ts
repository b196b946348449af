import { join } from "node:path";
import type { Span } from "../connections.ts";
import type { Contestant } from "../contestants.ts";
import { startLoad } from "../load.ts";
import { messageOf } from "../message.ts";
import type { Options } from "../options.ts";
import type { Measured, ProcessorTime } from "../results.ts";
import { describeFigures, warmer } from "../rounds.ts";
import { startServer } from "../server.ts";

import type { Figures } from "../tally.ts";
import type { Work } from "../work.ts";
import type { PostgresData } from "./data.ts";
import { withCopy } from "./database.ts";
import { describeProcessor, readProcessor, timesOf } from "./processor.ts";
import type { BenchServer } from "./server.ts";

export type PostgresBench = {
  server: BenchServer;
  data: PostgresData;
  contestants: Contestant[];
  works: Work[];
  options: Pick<Options, "rounds" | "span">;
  /** The folder of the contestants' logs. */
  folder: string;
  print: (line: string) => void;
};

/** `idle` is the processor time without requests, by contestant: microseconds for each second. */
export type PostgresOutcome = { measured: Measured[]; idle: Record<string, ProcessorTime> };

/**
 * Runs all works of all contestants, one at a time, in each round. Every second round is in reverse order. A contestant
 * runs on a fresh copy of the data, and on another one with slow flushes.
 */
export async function measureOnPostgres(bench: PostgresBench): Promise<PostgresOutcome> {
  const { contestants, works, options, server, data } = bench;
  const outcome: PostgresOutcome = { measured: [], idle: {} };
  const load = startLoad(data);
  try {
    for (let round = 1; round <= options.rounds; round += 1)
      for (const contestant of round % 2 === 1 ? contestants : contestants.toReversed())
        for (const slowFlush of [false, true]) {
          const own = works.filter(({ hasSlowFlush = false }) => hasSlowFlush === slowFlush);
          if (own.length === 0) continue;
          const turn = { ...bench, round, contestant, works: own, drive: load.drive, outcome };
          await withCopy(server, data.template, { slowFlush }, (url) => runTurn(turn, url));
        }
  } finally {
    load.end();
  }
  return outcome;
}

type PostgresTurn = PostgresBench & {
  outcome: PostgresOutcome;
  round: number;
  contestant: Contestant;
  drive: ReturnType<typeof startLoad>["drive"];
};

/** Runs the works of one contestant on one database. */
async function runTurn(turn: PostgresTurn, url: string): Promise<void> {
  const { contestant, works, round, options, folder, print } = turn;
  const { measured, idle } = turn.outcome;
  const start = (work: Work) =>
    `${round}/${options.rounds} ${contestant.name.padEnd(10)} ${work.name.padEnd(30)}`;
  const refuse = (work: Work, error: unknown) => {
    const failure = messageOf(error);
    measured.push({ round, contestant: contestant.name, work: work.name, failure });
    print(`${start(work)} ${failure}`);
  };
  const running = await startServer(contestant, url, join(folder, `${contestant.name}.log`)).catch(
    (error: unknown) => {
      for (const work of works) refuse(work, error);
    },
  );
  if (!running) return;
  try {
    if (!idle[contestant.name]) {
      const time = await measureIdle(turn, running.pid);
      idle[contestant.name] = time;
      print(`${round}/${options.rounds} ${contestant.name}: idle${describeProcessor(time)} in a second`);
    }
    for (const work of works)
      try {
        const span = warmer(options.span, work === works[0]);
        const { figures, processor } = await runWork(turn, work, span, running);
        measured.push({ round, contestant: contestant.name, work: work.name, figures, processor });
        print(start(work) + describeFigures(figures, work) + describeProcessor(processor));
      } catch (error) {
        refuse(work, error);
      }
  } finally {
    await running.stop();
  }
}

/** After the start, for as long as a work: what the jobs of a contestant take. */
async function measureIdle({ server, options }: PostgresTurn, pid: number): Promise<ProcessorTime> {
  await Bun.sleep(options.span.warmup * 1000);
  const before = readProcessor(server, pid);
  await Bun.sleep(options.span.seconds * 1000);
  return timesOf(before, readProcessor(server, pid), 1);
}

async function runWork(
  { server, drive }: PostgresTurn,
  work: Work,
  span: Span,
  { port, pid }: { port: number; pid: number },
): Promise<{ figures: Figures; processor: ProcessorTime }> {
  let before = readProcessor(server, pid);
  // The load program starts its warm-up within a millisecond.
  const warm = setTimeout(() => {
    before = readProcessor(server, pid);
  }, span.warmup * 1000);
  try {
    const figures = await drive({
      ...span,
      port,
      work: work.name,
      engine: "postgres",
    });
    return { figures, processor: timesOf(before, readProcessor(server, pid), figures.perSecond) };
  } finally {
    clearTimeout(warm);
  }
}
