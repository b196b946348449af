/** A usage event as it is sent; its `messageId` is its own for ever, however often it is sent. */
export type SentEvent = {
  event: string;
  externalId: string;
  messageId: string;
  timestamp: string;
  userId?: string;
};
export type Batch = { events: readonly SentEvent[]; answered: boolean };

const size = 30;
const knownIds = ["known-0", "known-1", "known-2", "known-3"];
/** External ids that no account ever takes. */
export const neverTaken = ["never-0", "never-1"];
const names = ["opened", "exported", "shared"];
const users = 7;
const days = 5;
const millisecondsOfDay = 86_400_000;
/** How many of the last batches are sent again, and how many ids wait for their accounts at once. */
const recentBatches = 12;
const mostWaiting = 5;

/** What all senders send: new batches, batches that were sent before, and accounts that parked events wait for. */
export class Outbox {
  readonly events: SentEvent[] = [];
  readonly accounts = new Set<string>();
  readonly #recent: Batch[] = [];
  #waiting: string[] = [];
  #late = 0;

  /** The accounts that are there before any event. */
  get known(): readonly string[] {
    return knownIds;
  }

  /** An account to make now: one that events wait for, when enough are, or the `last` remain. */
  nextAccount(last = false): string | undefined {
    if (!last && (this.#waiting.length < mostWaiting || Math.random() < 0.5)) return undefined;
    return this.#waiting.shift();
  }

  /** A new batch, or one that was sent before: it may be answered, or under way from another sender. */
  nextBatch(): { batch: Batch; isAgain: boolean } {
    const again = Math.random() < 0.4 ? anyOf(this.#recent) : undefined;
    if (again) return { batch: again, isAgain: true };
    if (Math.random() < 0.3) this.#waiting.push(`late-${this.#late++}`);
    const events = Array.from({ length: size }, () => this.#newEvent());
    this.events.push(...events);
    // One stands in its batch twice.
    const batch = { events: [...events, ...events.slice(0, 1)], answered: false };
    this.#recent.push(batch);
    if (this.#recent.length > recentBatches) this.#recent.shift();
    return { batch, isAgain: false };
  }

  #newEvent(): SentEvent {
    const ids = [...knownIds, ...neverTaken, ...this.#waiting, ...[...this.accounts].slice(-3)];
    const ago = Math.floor(Math.random() * days) * millisecondsOfDay + Math.floor(Math.random() * 1_000);
    const user = Math.floor(Math.random() * (users + 1));
    return {
      event: anyOf(names) ?? "",
      externalId: anyOf(ids) ?? "",
      messageId: `message-${this.events.length}-${Math.random().toString(36).slice(2)}`,
      timestamp: new Date(Date.now() - ago).toISOString(),
      ...(user > 0 && { userId: `user-${user}` }),
    };
  }
}

/** How often each account did what on which day, and by how many users, when each event counts once. */
export function countedOnce(
  events: readonly SentEvent[],
  accounts: ReadonlySet<string>,
): Map<string, string> {
  const days = Map.groupBy(
    events.filter(({ externalId }) => accounts.has(externalId)),
    ({ externalId, event, timestamp }) => `${externalId} ${event} ${timestamp.slice(0, 10)}`,
  );
  return new Map(
    [...days].map(([day, some]) => {
      const named = new Set(some.flatMap(({ userId }) => userId ?? []));
      return [day, `${some.length} by ${named.size} users`];
    }),
  );
}

function anyOf<T>(list: readonly T[]): T | undefined {
  return list[Math.floor(Math.random() * list.length)];
}
