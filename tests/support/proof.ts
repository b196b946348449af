import type { Variant } from "./variant.ts";

/** The amount of work of a proof: short takes seconds, long takes as much as the requirement needs. */
export type Scale = "short" | "long";
/** The command line of the program, to which arguments are appended. */
export type Program = readonly string[];
/** The number of trials of each kind, and a line for each fault that was found. */
export type Outcome = { tried: Readonly<Record<string, number>>; faults: readonly string[] };
export type PrintLine = (line: string) => void;

/** A broken service in this process, which the short form of the proof tests. */
type WrongService = { name: string; run: (print: PrintLine) => Promise<Outcome> };
/** A variant for which the proof tries these rows alone, by default in its short form, and must find a fault in each. */
export type RowControl = Variant & { rows: readonly string[]; scale?: Scale };
/** A variant that is broken on purpose. Its name ends the phrase "where …". */
export type Control = Variant | RowControl | WrongService;
/** Of a run on a control. With `endsAtFault` it may end after the first fault. With `rows`, it has no faults unless each has. */
export type ControlOptions = { endsAtFault: boolean; rows?: readonly string[] | undefined };

/** A repeated attempt to violate a requirement. */
export type Proof = {
  name: string;
  /** The requirement, as a sentence. */
  claim: string;
  /** Whether it measures times, so that no other proof runs at the same time. */
  runsAlone?: boolean;
  /** The reason why the proof cannot run on this machine, or undefined. */
  missing?: () => string | undefined;
  run: (program: Program, scale: Scale, print: PrintLine, options?: ControlOptions) => Promise<Outcome>;
  /** The proof must find a fault in each of these. Otherwise its result is meaningless. */
  controls: readonly Control[];
};
