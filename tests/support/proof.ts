import type { Variant } from "./variant.ts";

/** How much is tried: what takes seconds, or as much as is demanded. */
export type Scale = "short" | "long";
/** A command line that runs the program; words of its own are added. */
export type Program = readonly string[];
/** How often what was tried, and what was found that must not be: a line for each. */
export type Outcome = { tried: Readonly<Record<string, number>>; faults: readonly string[] };
export type Say = (line: string) => void;

/** A wrong service inside this process, on which the proof runs in its short form. */
type WrongService = { name: string; run: (say: Say) => Promise<Outcome> };
/** A variant that is broken on purpose; its name ends the sentence "where …". */
export type Control = Variant | WrongService;

/** Shows that something never happens, by trying for it. */
export type Proof = {
  name: string;
  /** What is shown, as a sentence. */
  claim: string;
  /** Why it cannot be tried on this machine; undefined when it can. */
  missing?: () => string | undefined;
  run: (program: Program, scale: Scale, say: Say) => Promise<Outcome>;
  /** The proof must find a fault in each of these: else it shows nothing about the real program. */
  controls: readonly Control[];
};
