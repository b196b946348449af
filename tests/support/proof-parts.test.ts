import { expect, test } from "bun:test";
import { faults } from "../faults/proofs.ts";
import { hostile } from "../hostile/proofs.ts";
import { partNames, partOf } from "./proof-parts.ts";

const proofs = [...faults, ...hostile];

test("the parts of a proof have the program once, and each control once", () => {
  for (const proof of proofs) {
    const parts = partNames(proof).map((name) => partOf(proofs, name));
    expect(parts.filter((part) => part?.hasProgram)).toHaveLength(1);
    const controls = parts.flatMap((part) => part?.controls.map(({ name }) => name) ?? []);
    expect(controls.toSorted()).toEqual(proof.controls.map(({ name }) => name).toSorted());
  }
  expect(proofs.some(({ partCount = 1 }) => partCount > 1)).toBe(true);
});

test("the name of a proof is the whole proof, and the name of a part that it does not have is nothing", () => {
  for (const proof of proofs)
    expect(partOf(proofs, proof.name)).toEqual({ proof, hasProgram: true, controls: proof.controls });
  for (const name of ["model:0/4", "model:5/4", "model:1/3", "model:", "kill:1/2", "none"])
    expect(partOf(proofs, name)).toBeUndefined();
});
