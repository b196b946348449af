import { dayOf } from "../core/timestamps.ts";
import { trendDays } from "./score.ts";

/** Until when (milliseconds), and for how many more events, a score stays as it is. */
export type Stability = { until: number; events: number };

/** Accounts that are remembered, of all organizations, at some hundred bytes each. */
const maxAccounts = 200_000;

/** What one run of the score job learns; it reaches the cache after the commit only. */
export class StabilityDraft {
  readonly changed = new Map<number, Stability | undefined>();
  readonly #cached: ReadonlyMap<number, Stability>;

  constructor(cached: ReadonlyMap<number, Stability>) {
    this.#cached = cached;
  }

  set(accountId: number, stability: Stability | undefined): void {
    this.changed.set(accountId, stability);
  }

  /** Whether an event leaves its account's score as it is; if so, it is counted. */
  isUnaffected(accountId: number, eventAt: number, now: number): boolean {
    const stability = this.changed.has(accountId) ? this.changed.get(accountId) : this.#cached.get(accountId);
    if (!stability || now >= stability.until || stability.events === 0) return false;
    if (dayOf(eventAt) <= dayOf(now) - trendDays) return false;
    this.changed.set(accountId, { until: stability.until, events: stability.events - 1 });
    return true;
  }
}

/** A cache of stable scores by organization; an entry is valid for one progress of the score job. */
export class StableScores {
  readonly #entries = new Map<number, { lastEventId: number; scores: Map<number, Stability> }>();

  /** A draft on the entry; on an empty one when the job has progressed elsewhere. */
  draft(organizationId: number, lastEventId: number): StabilityDraft {
    const entry = this.#entries.get(organizationId);
    return new StabilityDraft(entry?.lastEventId === lastEventId ? entry.scores : new Map());
  }

  /** Applies a draft that was made at `from`, now that the job has progressed to `to`. */
  apply(organizationId: number, { from, to }: { from: number; to: number }, draft: StabilityDraft): void {
    const entry = this.#entries.get(organizationId);
    const scores = entry?.lastEventId === from ? entry.scores : new Map<number, Stability>();
    for (const [accountId, stability] of draft.changed) {
      if (stability) scores.set(accountId, stability);
      else scores.delete(accountId);
    }
    this.#entries.set(organizationId, { lastEventId: to, scores });
    const size = this.#entries.values().reduce((sum, { scores }) => sum + scores.size, 0);
    if (size > maxAccounts) this.#entries.clear();
  }
}
