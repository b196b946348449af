import type { Breakage } from "./broken.ts";
import type { Variant } from "./variant.ts";

/** The size of a run: short takes seconds. */
export type Scale = "short" | "long";
/** A command line that runs the program. Arguments are appended. */
export type Program = readonly string[];
/** What was tried and how often, and one line for each fault that was found. */
export type Outcome = { tried: Readonly<Record<string, number>>; faults: readonly string[] };
export type Say = (line: string) => void;

/** A wrong service in this process, for a short run of the proof. */
type WrongService = { name: string; run: (say: Say) => Promise<Outcome> };
/** A deliberately wrong variant. Its name ends the sentence "where …". */
export type Control = Breakage | Variant | WrongService;

/** Tries to make something happen that must never happen. */
export type Proof = {
  name: string;
  /** The property that is tested, as a sentence. */
  claim: string;
  /** Why the proof cannot run on this machine; undefined when it can. */
  missing?: () => string | undefined;
  run: (program: Program, scale: Scale, say: Say) => Promise<Outcome>;
  /** The proof must find a fault in each of these; otherwise it shows nothing about the real program. */
  controls: readonly Control[];
};
