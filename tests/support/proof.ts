import { expect, test } from "bun:test";
import { binary } from "../binary/binary.ts";
import { type Breakage, broken } from "./broken.ts";

/** How much is tried: what takes seconds, among the other tests, or as much as is demanded. */
export type Scale = "short" | "long";
/** A command line that runs the program; words of its own are added. */
export type Program = readonly string[];
/** How often what was tried, and what was found that must not be: a line for each. */
export type Outcome = { tried: Readonly<Record<string, number>>; faults: readonly string[] };
export type Say = (line: string) => void;

/** Shows that something never happens, by trying for it. */
export type Proof = {
  name: string;
  /** What is shown, as a sentence. */
  claim: string;
  /** Why it cannot be tried on this machine; undefined when it can. */
  missing?: () => string | undefined;
  run: (program: Program, scale: Scale, say: Say) => Promise<Outcome>;
  /** Programs broken on purpose, in each of which it has to find a fault: else it shows nothing of the real one. */
  controls: readonly Breakage[];
};

/** Tries the compiled program, and then each control, in the short form. */
export function testProof(proof: Proof, timeout: number): void {
  const missing = proof.missing?.();
  const silently: Say = () => {};
  test.skipIf(missing !== undefined)(
    missing === undefined ? proof.claim : `${proof.claim} (not here: ${missing})`,
    async () => {
      const { tried, faults } = await proof.run([await binary()], "short", silently);
      expect(faults).toEqual([]);
      for (const count of Object.values(tried)) expect(count).toBeGreaterThan(0);
    },
    timeout,
  );
  for (const control of proof.controls)
    test.skipIf(missing !== undefined)(
      `${proof.name} finds the fault where ${control.name}`,
      async () => {
        const { faults } = await proof.run(await broken(control), "short", silently);
        expect(faults).not.toEqual([]);
      },
      timeout,
    );
}
