import { expect, test } from "bun:test";
import { testProof } from "../support/proof.ts";
import { wrongRaces } from "./model-broken.ts";
import { races, tryRaces } from "./races.ts";

testProof(races, 60_000);

test.each(Object.entries(wrongRaces))(
  "the races find the fault where %s",
  async (_, wrong) => {
    const { faults } = await tryRaces(wrong(), "short", () => {});
    expect(faults).not.toEqual([]);
  },
  60_000,
);
