import type { Proof, Scale } from "../support/proof.ts";
import { withoutErasure, withoutOrganizationJob } from "./controls/deletion.ts";
import {
  deleteNextToServer,
  deleteWithoutServer,
  type KillLimits,
  killOrganizationDeletion,
} from "./deletion-organizations.ts";
import { makeMarkedDatabase, type OrganizationSize } from "./deletion-texts.ts";

const demand: Record<Scale, { size: OrganizationSize; limits: KillLimits }> = {
  short: {
    size: { accounts: 40, moreAccounts: 500, events: 5_000 },
    limits: { patience: 4_000, kills: 2, longestLife: 200 },
  },
  long: {
    size: { accounts: 200, moreAccounts: 3_000, events: 30_000 },
    limits: { patience: 60_000, kills: 12, longestLife: 3_000 },
  },
};

export const organizationDeletion: Proof = {
  name: "organization-deletion",
  claim:
    "After organizations delete none of its texts is in the database's files, with a server, without one, and after kills",
  async run(program, scale, print) {
    const { size, limits } = demand[scale];
    const marked = await makeMarkedDatabase(program, size);
    const faults = [
      ...(await deleteNextToServer(program, marked)),
      ...(await deleteWithoutServer(program, marked)),
    ];
    const tried = { "accounts deleted": 2 * (size.accounts + size.moreAccounts) };
    if (faults.length > 0) return { tried, faults };
    const killed = await killOrganizationDeletion(program, marked, limits, print);
    return { tried: { ...tried, "kills during a deletion": killed.hits }, faults: killed.faults };
  },
  controls: [withoutErasure, withoutOrganizationJob],
};
