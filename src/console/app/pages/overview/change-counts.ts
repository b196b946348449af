import { type ResourceType, resourceTypes } from "../../../../shared/resources.ts";
import type { ChangeSummary } from "./tier-moves.ts";

export type ResourceCounts = { resource: ResourceType; created: number; updated: number; deleted: number };

/** The created, updated and deleted rows of each resource. */
export function countByResource({ counts }: ChangeSummary): ResourceCounts[] {
  const countOf = (name: string) => counts.find(({ type }) => type === name)?.count ?? 0;
  return resourceTypes.map((resource) => ({
    resource,
    created: countOf(`${resource}.created`),
    updated: countOf(`${resource}.updated`),
    deleted: countOf(`${resource}.deleted`),
  }));
}

/** The number of times that an account without a score got one. */
export function countNewScores({ tierMoves }: ChangeSummary): number {
  return tierMoves.reduce((sum, { from, count }) => (from === null ? sum + count : sum), 0);
}
