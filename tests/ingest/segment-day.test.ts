import { expect, test } from "bun:test";
import { Random } from "../support/random.ts";
import { seedsUpTo } from "../support/seeds.ts";
import type { Body } from "../support/world.ts";
import { traitsWorld } from "./traits-world.ts";

const groupCount = 6;
const userCount = 30;

/** The calls of a day in the order of their timestamps, as SDKs send them: some contexts have the traits of the person. */
function callsOfDay(random: Random, startAt: number, hasMessageIds: boolean): Body[] {
  const calls: Body[] = [];
  const add = (call: Body) => {
    const timestamp = new Date(startAt + calls.length * 1_000).toISOString();
    const messageId = `message-${calls.length}`;
    const isIdentified = hasMessageIds || call.type === "track";
    calls.push({ ...call, timestamp, ...(isIdentified && { messageId }) });
  };
  const plans = ["free", "pro", "enterprise", null];
  for (let user = 0; user < userCount; user += 1) {
    const userId = `u${user}`;
    const groupId = `g${user % groupCount}`;
    const person = { name: `User ${user}`, email: `u${user}@x.example`, role: random.of(["dev", "cto"]) };
    const isWithContext = random.below(2) === 0;
    const context = isWithContext ? { groupId, traits: person } : {};
    add({ type: "identify", userId, traits: person, context });
    // Only some group calls have a name, some have no traits, and some no user.
    const isNamed = user < groupCount || random.below(4) === 0;
    const company = { ...(isNamed && { name: `Group ${groupId}` }), plan: random.of(plans), seats: user };
    add({ type: "group", userId, groupId, context: { traits: person }, traits: company });
    for (let i = random.below(4); i > 0; i -= 1) {
      const groupContext = { groupId, traits: person };
      add({ type: "track", userId, event: random.of(["opened", "saved"]), context: groupContext });
    }
    if (random.below(2) === 0)
      add({ type: "identify", userId, traits: { role: random.of(["dev", "cto", null]), seen: user } });
    if (random.below(3) === 0) add({ type: "identify", userId, traits: { email: `new${user}@x.example` } });
    if (random.below(3) === 0) add({ type: "group", groupId, traits: { plan: random.of(plans) } });
  }
  return calls;
}

function shuffle<T>(random: Random, list: readonly T[]): T[] {
  return list
    .map((item) => [random.next(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);
}

/** A new organization, which receives calls in batches. */
async function dayWorld() {
  const here = await traitsWorld();
  const list = async (path: string) => (await here.call("GET", `/api/v1/${path}`)).body.data;
  return {
    ...here,
    async send(calls: readonly Body[], batchSize: number) {
      for (let i = 0; i < calls.length; i += batchSize) await here.batch(...calls.slice(i, i + batchSize));
      await here.runJobs();
    },
    changeCount: async () => (await list("changes?limit=1000")).length,
    /** Everything that the calls say, without what the service assigns. */
    async state() {
      const accounts: Body[] = await list("accounts?include=attributes&pageSize=100");
      const idOf = new Map(accounts.map(({ id, externalId }) => [id, externalId]));
      const contacts: Body[] = await list("contacts?pageSize=100");
      const usage: Body[] = await list("usage?from=2025-12-25");
      return {
        accounts: accounts
          .map(({ externalId, name, attributes }) => JSON.stringify({ externalId, name, attributes }))
          .sort(),
        contacts: contacts
          .map(({ accountId, externalId, name, email, attributes }) =>
            JSON.stringify({ account: idOf.get(accountId), externalId, name, email, attributes }),
          )
          .sort(),
        usage: usage.map(({ day, event, count, users }) => [day, event, count, users]),
      };
    },
  };
}

for (const seed of seedsUpTo(6))
  for (const hasMessageIds of [true, false])
    test(`a shuffled and repeated day leaves what the ordered one leaves (seed ${seed}, ${hasMessageIds ? "with" : "without"} message ids)`, async () => {
      const random = new Random(seed);
      const ordered = await dayWorld();
      const calls = callsOfDay(random, ordered.now() - 8 * 3_600_000, hasMessageIds);
      await ordered.send(calls, 1 + random.below(50));
      const expected = await ordered.state();
      expect(expected.contacts).toHaveLength(userCount);
      expect(expected.accounts).toHaveLength(groupCount + 2);

      const other = await dayWorld();
      await other.send(shuffle(random, calls), 1 + random.below(50));
      expect(await other.state()).toEqual(expected);
      for (const world of [ordered, other]) {
        const before = await world.changeCount();
        await world.send(shuffle(random, [...calls, ...calls]), 1 + random.below(50));
        expect(await world.state()).toEqual(expected);
        expect(await world.changeCount()).toBe(before);
      }
    }, 60_000);
