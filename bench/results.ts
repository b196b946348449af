import type { Figures } from "./tally.ts";
import type { Work } from "./work.ts";

/** Microseconds of a processor for each request: of the contestant, and of all processes of its database server. */
export type ProcessorTime = { contestant: number; server?: number };
/** A work by a contestant in a round. Without figures it has a reason. */
export type Measured = {
  round: number;
  contestant: string;
  work: string;
  figures?: Figures;
  failure?: string;
  processor?: ProcessorTime;
};
/** A figure of a contestant without a work: the duration of its start, or its memory. */
export type Single = { name: SingleName; contestant: string; value: number };
export const singles = {
  start: { title: "start to the first reply", unit: "ms" },
  "start-list": { title: "start to the first list", unit: "ms" },
  idle: { title: "memory 2 s after the start", unit: "MB" },
  after: { title: "memory after all works", unit: "MB" },
  peak: { title: "memory at most until then", unit: "MB" },
  change: { title: "bytes on disk for each change", unit: "B" },
  followed: { title: "creates while followed", unit: "× alone" },
  "followed-time": { title: "processor of a create", unit: "× alone" },
  "followed-followers": { title: "processor of the followers", unit: "%" },
  "followed-beside": { title: "creates, others are followed", unit: "× alone" },
  "followed-beside-time": { title: "processor of a create", unit: "× alone" },
  "followed-beside-followers": { title: "processor of the followers", unit: "%" },
  size: { title: "size of the binary", unit: "MB" },
} as const;
export type SingleName = keyof typeof singles;

export type Cell = {
  contestant: string;
  perSecond: number;
  p50: number;
  p99: number;
  p999: number;
  /** The ratio of accountd's rate to this one: in each round, and the median. */
  ratio?: number;
  /** The reason for a missing figure. */
  failure?: string;
  /** Medians over the rounds. */
  processor?: ProcessorTime;
  rounds: Figures[];
};
export type Row = { name: string; title: string; cells: Cell[] };
export type SingleRow = { name: SingleName; values: Record<string, number> };

/** A replacer of JSON: five significant digits are saved. */
export function rounded(_name: string, value: unknown): unknown {
  return typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value;
}

export function median(values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** A row for each measured work: medians over the rounds, and ratios of figures of the same round. */
export function rowsOf(works: Work[], all: Measured[], contestants: string[]): Row[] {
  return works
    .filter((work) => all.some((one) => one.work === work.name))
    .map((work) => {
      const cells = contestants.flatMap((name) => cellOf(work, name, all) ?? []);
      return { name: work.name, title: work.title, cells };
    });
}

export function singleRowsOf(all: Single[], contestants: string[]): SingleRow[] {
  // Safe: the keys of `singles` are its names.
  return (Object.keys(singles) as SingleName[]).flatMap((name) => {
    const values: Record<string, number> = {};
    for (const contestant of contestants) {
      const own = all.filter((one) => one.name === name && one.contestant === contestant);
      if (own.length > 0) values[contestant] = median(own.map(({ value }) => value));
    }
    return Object.keys(values).length > 0 ? { name, values } : [];
  });
}

function cellOf(work: Work, contestant: string, all: Measured[]): Cell | undefined {
  const own = all.filter((one) => one.work === work.name && one.contestant === contestant);
  if (own.length === 0) return undefined;
  const failure = own.map(failureOf).find((reason) => reason !== undefined);
  const rounds = own.flatMap(({ figures }) => figures ?? []);
  const of = (name: "perSecond" | "p50" | "p99" | "p999") => median(rounds.map((figures) => figures[name]));
  const ratio = ratioOf(all, [work.name, "accountd"], [work.name, contestant]);
  return {
    contestant,
    perSecond: of("perSecond") * (work.each ?? 1),
    p50: of("p50"),
    p99: of("p99"),
    p999: of("p999"),
    ...(contestant !== "accountd" && ratio !== undefined && { ratio }),
    ...(failure !== undefined && { failure }),
    ...processorOf(own),
    rounds,
  };
}

function processorOf(all: Measured[]): Pick<Cell, "processor"> {
  const times = all.flatMap(({ processor }) => processor ?? []);
  if (times.length === 0) return {};
  const ofServer = times.flatMap(({ server }) => server ?? []);
  const contestant = median(times.map((time) => time.contestant));
  return { processor: { contestant, ...(ofServer.length > 0 && { server: median(ofServer) }) } };
}

/** A measurement with a failure is invalid, because an error reply is faster than a success. */
function failureOf({ figures, failure }: Measured): string | undefined {
  const failed = Object.entries(figures?.failed ?? {}).map(([status, count]) => `${count} × ${status}`);
  return failure ?? (failed.length > 0 ? `answered ${failed.join(", ")}` : undefined);
}

/** The ratio of two rates in the rounds that have both figures. */
function ratioOf(all: Measured[], one: [string, string], other: [string, string]): number | undefined {
  const speedIn = (round: number, [work, contestant]: [string, string]) =>
    all.find(
      (it) =>
        it.round === round && it.work === work && it.contestant === contestant && failureOf(it) === undefined,
    )?.figures?.perSecond;
  const ratios = [...new Set(all.map(({ round }) => round))].flatMap((round) => {
    const [speed, otherSpeed] = [speedIn(round, one), speedIn(round, other)];
    return speed && otherSpeed ? speed / otherSpeed : [];
  });
  return ratios.length > 0 ? median(ratios) : undefined;
}
