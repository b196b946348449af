import { dayOf } from "../core/timestamps.ts";
import { trendDays } from "./score.ts";

/** A score does not change before `until` (milliseconds since 1970 UTC) and for this number of further events. */
export type Stability = { until: number; events: number };

/** Cached accounts of all organizations, of some hundred bytes each. */
const maxAccounts = 200_000;

/** The changes to the cache of one run of the score job. They are applied after its commit. */
export class StabilityDraft {
  readonly changed = new Map<number, Stability | undefined>();
  readonly #cached: ReadonlyMap<number, Stability>;

  constructor(cached: ReadonlyMap<number, Stability>) {
    this.#cached = cached;
  }

  set(accountId: number, stability: Stability | undefined): void {
    this.changed.set(accountId, stability);
  }

  /** Whether an event does not change its account's score. If so, counts it. */
  isUnaffected(accountId: number, eventAt: number, now: number): boolean {
    const stability = this.changed.has(accountId) ? this.changed.get(accountId) : this.#cached.get(accountId);
    if (!stability || now >= stability.until || stability.events === 0) return false;
    if (dayOf(eventAt) <= dayOf(now) - trendDays) return false;
    this.changed.set(accountId, { until: stability.until, events: stability.events - 1 });
    return true;
  }
}

/** A cache of stable scores by organization. An entry is valid for one position of the score job. */
export class StableScores {
  readonly #entries = new Map<number, { lastEventId: number; scores: Map<number, Stability> }>();

  /** A draft on the entry of this position; without one, on an empty entry. */
  draft(organizationId: number, lastEventId: number): StabilityDraft {
    const entry = this.#entries.get(organizationId);
    return new StabilityDraft(entry?.lastEventId === lastEventId ? entry.scores : new Map());
  }

  /** Applies a draft that was made at the position `from`. The job is now at `to`. */
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
