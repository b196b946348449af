import { dayOf } from "../core/timestamps.ts";
import { trendDays } from "./score.ts";

/** A score does not change before `validUntil` (milliseconds since 1970 UTC) and for this number of further events. */
export type ScoreValidity = { validUntil: number; remainingEventCount: number };

/** Cached accounts of all organizations, of some hundred bytes each. */
const maxAccounts = 200_000;

/** The changes to the cache of one run of the score job. They are applied after its commit. */
export class CacheDraft {
  readonly changed = new Map<number, ScoreValidity | undefined>();
  readonly #cached: ReadonlyMap<number, ScoreValidity>;

  constructor(cached: ReadonlyMap<number, ScoreValidity>) {
    this.#cached = cached;
  }

  set(accountId: number, validity: ScoreValidity | undefined): void {
    this.changed.set(accountId, validity);
  }

  /** Whether an event does not change its account's score. Counts an event of a complete day of the trend. */
  isUnaffected(accountId: number, eventAt: number, now: number): boolean {
    const validity = this.changed.has(accountId) ? this.changed.get(accountId) : this.#cached.get(accountId);
    if (!validity || now >= validity.validUntil) return false;
    const [day, today] = [dayOf(eventAt), dayOf(now)];
    if (day >= today) return true;
    if (day < today - trendDays || validity.remainingEventCount === 0) return false;
    const { validUntil, remainingEventCount } = validity;
    this.changed.set(accountId, { validUntil, remainingEventCount: remainingEventCount - 1 });
    return true;
  }
}

/**
 * The stored position of the score job: its last event and the time of its last run, which another process may have
 * made. No two runs have the same time.
 */
export type ScorePosition = { lastEventId: number; refreshedAt: number };

/** A cache of the validity of scores by organization. An entry is valid for one position of the score job. */
export class ScoreValidityCache {
  readonly #entries = new Map<number, { position: ScorePosition; scores: Map<number, ScoreValidity> }>();

  /** A draft on the entry of this position; without one, on an empty entry. */
  draft(organizationId: number, position: ScorePosition): CacheDraft {
    return new CacheDraft(this.#scoresAt(organizationId, position) ?? new Map());
  }

  /** Applies a draft that was made at the position `from`. The job is now at `to`. */
  apply(
    organizationId: number,
    { from, to }: { from: ScorePosition; to: ScorePosition },
    draft: CacheDraft,
  ): void {
    const scores = this.#scoresAt(organizationId, from) ?? new Map<number, ScoreValidity>();
    for (const [accountId, validity] of draft.changed) {
      if (validity) scores.set(accountId, validity);
      else scores.delete(accountId);
    }
    this.#entries.set(organizationId, { position: to, scores });
    const size = this.#entries.values().reduce((sum, { scores }) => sum + scores.size, 0);
    if (size > maxAccounts) this.#entries.clear();
  }

  #scoresAt(organizationId: number, position: ScorePosition): Map<number, ScoreValidity> | undefined {
    const entry = this.#entries.get(organizationId);
    return entry && Bun.deepEquals(entry.position, position) ? entry.scores : undefined;
  }
}
