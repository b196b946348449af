import { expect, test } from "bun:test";
import { testProof } from "../support/proof.ts";
import { model, tryModel } from "./model.ts";
import { wrongApps } from "./model-broken.ts";

testProof(model, 60_000);

test.each(Object.entries(wrongApps))(
  "the model finds the fault where %s",
  async (_, wrong) => {
    const { faults } = await tryModel(wrong(), "short", () => {}, { isWrong: true });
    expect(faults).not.toEqual([]);
  },
  60_000,
);
