import { expect, test } from "bun:test";
import { daysUntilFinal } from "../../src/core/event-limits.ts";
import { dayOf } from "../../src/core/timestamps.ts";
import { type Day, day, eventWorld } from "../events/event-world.ts";
import { Random } from "../support/random.ts";
import { seedsUpTo } from "../support/seeds.ts";
import type { Body } from "../support/world.ts";

type SentEvent = { event: string; messageId?: string; at: number; userId: string };
type UnmatchedId = { externalId: string; count: number; firstAt: string; lastAt: string };

const pendingMilliseconds = 30 * day;
/** Six externalIds that accounts get during the test, and two that no account gets. */
const usedIds = Array.from({ length: 6 }, (_, i) => `id ${i}`);
const externalIds = [...usedIds, "nobody's", "nobody's either"];

/** The expected usage and unmatched ids, computed from a list of all events. */
class Model {
  readonly events: (SentEvent & { externalId: string; receivedAt: number })[] = [];
  readonly takenAt = new Map<string, number>();

  add(externalId: string, sent: SentEvent, receivedAt: number): void {
    const { messageId } = sent;
    if (messageId !== undefined && this.events.some((event) => event.messageId === messageId)) return;
    this.events.push({ ...sent, externalId, receivedAt });
  }

  days(externalId: string): Day[] {
    const days = Map.groupBy(
      this.#counted(externalId),
      ({ event, at }) => `${textOf(at).slice(0, 10)} ${event}`,
    );
    return [...days.keys()].sort().map((name) => {
      const events = days.get(name) ?? [];
      const users = new Set(events.map(({ userId }) => userId).filter((userId) => userId !== ""));
      return [name.slice(0, 10), name.slice(11), events.length, users.size];
    });
  }

  unmatched(now: number): UnmatchedId[] {
    return externalIds.toSorted().flatMap((externalId) => {
      const waiting = this.#of(externalId).filter(({ receivedAt }) => now < receivedAt + pendingMilliseconds);
      if (this.takenAt.has(externalId) || waiting.length === 0) return [];
      const timestamps = waiting.map(({ at }) => at).sort((a, b) => a - b);
      const [firstAt, lastAt] = [textOf(timestamps[0]), textOf(timestamps.at(-1))];
      return [{ externalId, count: waiting.length, firstAt, lastAt }];
    });
  }

  /** The usage of all accounts: day, event, count, users, accounts. */
  sums(): [...Day, accounts: number][] {
    const counted = [...this.takenAt.keys()].flatMap((externalId) => this.#counted(externalId));
    const sums = Map.groupBy(counted, ({ event, at }) => `${textOf(at).slice(0, 10)} ${event}`);
    return [...sums.keys()].sort().map((name) => {
      const events = sums.get(name) ?? [];
      const users = new Set(events.map(({ userId }) => userId).filter((userId) => userId !== ""));
      const accounts = new Set(events.map(({ externalId }) => externalId));
      return [name.slice(0, 10), name.slice(11), events.length, users.size, accounts.size];
    });
  }

  #counted(externalId: string) {
    const takenAt = this.takenAt.get(externalId) ?? Number.NaN;
    return this.#of(externalId).filter(({ receivedAt }) => takenAt < receivedAt + pendingMilliseconds);
  }

  #of(externalId: string) {
    return this.events.filter((event) => event.externalId === externalId);
  }
}

function textOf(at = 0): string {
  return new Date(at).toISOString();
}

test.each(seedsUpTo(6))(
  "after random concurrent and repeated events, before and after their accounts exist, the usage equals a simple model's (seed %d)",
  async (seed) => {
    const here = await eventWorld();
    const { call, account, send, usage, unmatched, now, pass, runJobs } = here;
    const random = new Random(seed);
    const below = (limit: number) => random.below(limit);
    const model = new Model();
    const accountIds = new Map<string, number>();
    const sentEvents: [string, SentEvent][] = [];

    function next(): [string, SentEvent] {
      const repeated = sentEvents.at(-below(100) - 1);
      if (repeated?.[1].messageId !== undefined && below(2) === 0) return repeated;
      const sent: SentEvent = {
        event: `event ${below(3)}`,
        at: now() - below(4 * day),
        userId: below(4) === 0 ? "" : `u${below(6)}`,
        ...(below(5) > 0 && { messageId: `m${sentEvents.length}` }),
      };
      sentEvents.push([externalIds[below(externalIds.length)] ?? "", sent]);
      return sentEvents.at(-1) ?? next();
    }

    function sendSome(): Promise<Body> {
      const events = Array.from({ length: 1 + below(40) }, next).map(([externalId, sent]) => {
        model.add(externalId, sent, now());
        const { at, ...event } = sent;
        const accountId = below(2) === 0 ? accountIds.get(externalId) : undefined;
        const reference = accountId === undefined ? { externalId } : { accountId };
        return { ...event, ...reference, timestamp: textOf(at) };
      });
      return send(events);
    }

    /** Gives the id to an account by one of three operations. */
    async function setExternalId(externalId: string): Promise<number> {
      model.takenAt.set(externalId, now());
      const [way, name] = [below(3), "New"];
      if (way === 0) return (await account({ name, externalId })).id;
      const put = `/api/v1/accounts/external/${externalId}`;
      if (way === 1) return (await call("PUT", put, { name })).body.data.id;
      const { id } = await account({ name });
      await call("PATCH", `/api/v1/accounts/${id}`, { externalId });
      return id;
    }

    const receipts: Body[] = [];
    for (let round = 0; round < 25; round += 1) {
      pass(below(6 * day));
      const sending = Array.from({ length: 1 + below(6) }, sendSome);
      const jobs = below(2) === 0 ? runJobs() : undefined;
      const externalId = usedIds[below(30)];
      if (externalId !== undefined && !model.takenAt.has(externalId))
        accountIds.set(externalId, await setExternalId(externalId));
      receipts.push(...(await Promise.all(sending)));
      await jobs;
      expect(await unmatched()).toEqual(model.unmatched(now()));
    }

    for (const [externalId, id] of accountIds)
      expect([externalId, await usage(id)]).toEqual([externalId, model.days(externalId)]);
    const { data } = (await call("GET", "/api/v1/usage?from=2025-11-15&to=2026-11-15")).body;
    expect(data.map(Object.values)).toEqual(model.sums());
    expect(await here.faults(dayOf(now()) - daysUntilFinal)).toEqual([]);
    const sum = (name: string) => receipts.reduce((total, receipt) => total + Number(receipt[name]), 0);
    expect(sum("accepted") + sum("parked")).toBe(model.events.length);
    const withoutMessageId = model.events.filter(({ messageId }) => messageId === undefined).length;
    expect([sum("undeduplicated"), sum("rejected")]).toEqual([withoutMessageId, 0]);
  },
);
