import type { Proof, Scale } from "../support/proof.ts";
import { forgetsDeletions, inOneStep, withoutJob, withoutSecureDelete } from "./controls/deletion.ts";
import { type AccountLimits, deleteUnderRequests, killDuringDeletion } from "./deletion-accounts.ts";
import { makeOriginal, type Usage } from "./deletion-data.ts";
import { withoutWaits } from "./other-requests.ts";

type Demand = { usage: Usage; limits: AccountLimits; kills: number; longestLife: number };
const demand: Record<Scale, Demand> = {
  short: {
    usage: { events: 20_000, days: 20, eventNames: 5, usersOfDay: 30 },
    limits: { baseline: 500, patience: 4_000 },
    kills: 2,
    longestLife: 300,
  },
  long: {
    usage: { events: 1_050_000, days: 60, eventNames: 50, usersOfDay: 30 },
    limits: { baseline: 20_000, patience: 60_000 },
    kills: 30,
    longestLife: 3_000,
  },
};

export const deletion: Proof = {
  name: "deletion",
  runsAlone: true,
  claim:
    "a deleted account is hidden at once, no request waits for its deletion, and no kill leaves a part of it",
  async run(program, scale, print) {
    const { usage, limits, kills, longestLife } = demand[scale];
    const original = await makeOriginal(program, usage);
    const killed = await killDuringDeletion(program, original, { ...limits, kills, longestLife });
    const tried = { events: usage.events, "kills during the deletion": killed.hits };
    if (killed.faults.length > 0) return { tried, faults: killed.faults };
    print(`${killed.hits} kills during a deletion`);
    const { faults, requests } = await withoutWaits(() =>
      deleteUnderRequests(program, original, limits, print),
    );
    return { tried: { ...tried, "requests during it": requests }, faults };
  },
  controls: [withoutJob, forgetsDeletions, inOneStep, withoutSecureDelete],
};
