import type { UpsertResult } from "../../core/resource/upsert-rows.ts";
import { problemBody } from "./error-handler.ts";

/** The result of each row in order, and their counts. `requestId` is in the problems of status 5xx only. */
export function presentUpserts(results: readonly UpsertResult[], requestId: string) {
  const counts = { created: 0, updated: 0, unchanged: 0, failed: 0 };
  for (const { result } of results) counts[result] += 1;
  return {
    results: results.map((item) =>
      item.result === "failed"
        ? { result: item.result, problem: problemBody(item.problem, requestId) }
        : { result: item.result, id: item.id },
    ),
    ...counts,
  };
}
