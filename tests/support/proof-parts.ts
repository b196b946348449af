import type { Control, Proof } from "./proof.ts";

/** What one process tries: the program, or not, and some controls. */
export type ProofPart = { proof: Proof; hasProgram: boolean; controls: readonly Control[] };

/** The names of the parts of a proof. `model:2/4` is the second of four. */
export function partNames({ name, partCount = 1 }: Proof): string[] {
  if (partCount === 1) return [name];
  return Array.from({ length: partCount }, (_, i) => `${name}:${i + 1}/${partCount}`);
}

/** The part or the whole proof of this name, or undefined. */
export function partOf(proofs: readonly Proof[], text: string): ProofPart | undefined {
  const [name, ...rest] = text.split(":");
  const proof = proofs.find((one) => one.name === name);
  if (!proof) return undefined;
  if (rest.length === 0) return { proof, hasProgram: true, controls: proof.controls };
  const index = partNames(proof).indexOf(text);
  if (index === -1) return undefined;
  const { partCount = 1 } = proof;
  // The program is tried first: it is number 0.
  const controls = proof.controls.filter((_, i) => (i + 1) % partCount === index);
  return { proof, hasProgram: index === 0, controls };
}
