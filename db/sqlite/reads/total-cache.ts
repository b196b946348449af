import type { Values } from "../../engine.ts";
import type { Statement } from "../../statements.ts";
import { renderOnce } from "../prepared.ts";
import { organizationOf } from "./slow-reads.ts";

type Total = { row: unknown; commitCount: number };

/** The oldest total is removed beyond this number. A key has the values of the filters: at most some kilobytes. */
const maxTotals = 1_000;

/**
 * The results of statements with `isTotal`, so that the pages of a filtered list count its rows once. A total is used
 * until the organization's next commit. Every commit of the file has to be reported.
 */
export class TotalCache {
  /** The number of reported commits: a snapshot is identified by it. */
  commitCount = 0;
  readonly #totals = new Map<string, Total>();
  /** The number of its last commit, by organization. */
  readonly #lastCommits = new Map<number, number>();
  /** Of the last commit of rows of no organization, which may have changed any row. */
  #lastCommitOfAll = 0;

  /** Called after a commit, before another read begins. */
  markCommit(organizationIds: Iterable<number>): void {
    this.commitCount += 1;
    for (const organizationId of organizationIds)
      if (organizationId === 0) this.#lastCommitOfAll = this.commitCount;
      else this.#lastCommits.set(organizationId, this.commitCount);
  }

  /** The row of a total for a snapshot that began after `commitCount` commits; undefined if it is not stored or outdated. */
  get<R>(statement: Statement<R>, values: Values, commitCount: number): R | undefined {
    if (!statement.isTotal) return undefined;
    const total = this.#totals.get(keyOf(statement, values));
    if (!total) return undefined;
    const lastCommit = Math.max(this.#lastCommits.get(organizationOf(values)) ?? 0, this.#lastCommitOfAll);
    // Both snapshots have all changes of the organization.
    const isSame = lastCommit <= total.commitCount && lastCommit <= commitCount;
    // Safe: the statement's row.
    return isSame ? (total.row as R) : undefined;
  }

  /** Stores the row of a snapshot that began after `commitCount` commits, if the statement is a total. */
  set<R>(statement: Statement<R>, values: Values, commitCount: number, row: R | undefined): void {
    if (!statement.isTotal || row === undefined) return;
    const key = keyOf(statement, values);
    this.#totals.delete(key);
    this.#totals.set(key, { row, commitCount });
    const [oldest] = this.#totals.keys();
    if (this.#totals.size > maxTotals && oldest !== undefined) this.#totals.delete(oldest);
  }
}

function keyOf(statement: Statement<unknown>, values: Values): string {
  return `${statement.name} ${JSON.stringify(renderOnce(statement).bind(values))}`;
}
