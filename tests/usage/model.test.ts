import { expect, test } from "bun:test";
import { type Day, day, eventWorld } from "../events/event-world.ts";
import type { Body } from "../support/world.ts";

type Sent = { event: string; messageId?: string; at: number; userId: string };
type Waiting = { externalId: string; count: number; firstAt: string; lastAt: string };

const parkedFor = 30 * day;
/** Six externalIds that accounts take, sooner or later, and two that none takes. */
const takenIds = Array.from({ length: 6 }, (_, i) => `id ${i}`);
const externalIds = [...takenIds, "nobody's", "nobody's either"];

/** Numbers that look random, the same for the same seed. */
function numbers(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** What is to be shown, from a list of all events: slow, and simple. */
class Model {
  readonly events: (Sent & { externalId: string; receivedAt: number })[] = [];
  readonly takenAt = new Map<string, number>();

  add(externalId: string, sent: Sent, receivedAt: number): void {
    const { messageId } = sent;
    if (messageId !== undefined && this.events.some((event) => event.messageId === messageId)) return;
    this.events.push({ ...sent, externalId, receivedAt });
  }

  days(externalId: string): Day[] {
    const takenAt = this.takenAt.get(externalId) ?? Number.NaN;
    const counted = this.#of(externalId).filter(({ receivedAt }) => takenAt < receivedAt + parkedFor);
    const days = Map.groupBy(counted, ({ event, at }) => `${textOf(at).slice(0, 10)} ${event}`);
    return [...days.keys()].sort().map((name) => {
      const some = days.get(name) ?? [];
      const users = new Set(some.map(({ userId }) => userId).filter((userId) => userId !== ""));
      return [name.slice(0, 10), name.slice(11), some.length, users.size];
    });
  }

  unmatched(now: number): Waiting[] {
    return externalIds.toSorted().flatMap((externalId) => {
      const waiting = this.#of(externalId).filter(({ receivedAt }) => now < receivedAt + parkedFor);
      if (this.takenAt.has(externalId) || waiting.length === 0) return [];
      const moments = waiting.map(({ at }) => at).sort((one, other) => one - other);
      const [firstAt, lastAt] = [textOf(moments[0]), textOf(moments.at(-1))];
      return [{ externalId, count: waiting.length, firstAt, lastAt }];
    });
  }

  #of(externalId: string) {
    return this.events.filter((event) => event.externalId === externalId);
  }
}

function textOf(at = 0): string {
  return new Date(at).toISOString();
}

test.each([1, 2, 3, 4, 5, 6])(
  "whatever is sent, twice and at once, before its account or after, the days are those of a simple model (seed %d)",
  async (seed) => {
    const here = await eventWorld();
    const { call, account, send, usage, unmatched, now, pass, runJobs } = here;
    const below = numbers(seed);
    const model = new Model();
    const accountIds = new Map<string, number>();
    const latest: [string, Sent][] = [];

    function next(): [string, Sent] {
      const again = latest.at(-below(100) - 1);
      if (again?.[1].messageId !== undefined && below(2) === 0) return again;
      const sent: Sent = {
        event: `event ${below(3)}`,
        at: now() - below(4 * day),
        userId: below(4) === 0 ? "" : `u${below(6)}`,
        ...(below(5) > 0 && { messageId: `m${latest.length}` }),
      };
      latest.push([externalIds[below(externalIds.length)] ?? "", sent]);
      return latest.at(-1) ?? next();
    }

    function sendSome(): Promise<Body> {
      const events = Array.from({ length: 1 + below(40) }, next).map(([externalId, sent]) => {
        model.add(externalId, sent, now());
        const { at, ...event } = sent;
        const accountId = below(2) === 0 ? accountIds.get(externalId) : undefined;
        const named = accountId === undefined ? { externalId } : { accountId };
        return { ...event, ...named, timestamp: textOf(at) };
      });
      return send(events);
    }

    /** An account takes an id, in one of three ways. */
    async function take(externalId: string): Promise<number> {
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
      const keeping = below(2) === 0 ? runJobs() : undefined;
      const externalId = takenIds[below(30)];
      if (externalId !== undefined && !model.takenAt.has(externalId))
        accountIds.set(externalId, await take(externalId));
      receipts.push(...(await Promise.all(sending)));
      await keeping;
      expect(await unmatched()).toEqual(model.unmatched(now()));
    }

    for (const [externalId, id] of accountIds)
      expect([externalId, await usage(id)]).toEqual([externalId, model.days(externalId)]);
    const sum = (name: string) => receipts.reduce((total, receipt) => total + Number(receipt[name]), 0);
    expect(sum("accepted") + sum("parked")).toBe(model.events.length);
    const without = model.events.filter(({ messageId }) => messageId === undefined).length;
    expect([sum("undeduplicated"), sum("rejected")]).toEqual([without, 0]);
  },
);
