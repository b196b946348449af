import { afterAll, beforeAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { accounts } from "../../db/schema.ts";
import { inputs, integerInput } from "../../db/statements.ts";
import { markAccountStale, searchIndexLimits, searchIndexOf } from "../../src/accounts/search-index.ts";
import { Tenant, update } from "../../src/core/tenant.ts";
import { randomFrom } from "../health-scores/random-steps.ts";
import { world } from "../support/world.ts";

const usual = { ...searchIndexLimits };

// So small that names are read, renewed, let go and made room for many times in a second.
beforeAll(() => {
  Object.assign(searchIndexLimits, {
    fewest: 10,
    manyChanged: 5,
    mostLookedFor: 15,
    mostChanged: 25,
    step: 7,
  });
  Object.assign(searchIndexLimits, { readAgainAfter: 0, madeRoomFor: 0 });
});
afterAll(() => Object.assign(searchIndexLimits, usual));

const words = ["acme", "zebra", "motors", "x"];

test.each([1, 2, 3])(
  "what is answered is found, whatever is read and renewed meanwhile: %d",
  async (seed) => {
    const { call, account, store, first, now } = await world();
    const random = randomFrom(seed);
    const names = new Map<number, string>();
    const newName = () => `${random.pick(words)} ${random.below(40)}`;
    const tenant = () => new Tenant(store, first.id, now());
    let held = 0;

    async function create(): Promise<void> {
      const { id, name } = await account({ name: newName() });
      names.set(id, name);
    }
    async function rename(id: number): Promise<void> {
      const { body } = await call("PATCH", `/api/v1/accounts/${id}`, { name: newName() });
      names.set(id, body.data.name);
    }
    async function search(needle: string): Promise<string[]> {
      if (searchIndexOf(tenant())) held += 1;
      const { body } = await call("GET", `/api/v1/accounts?search=${needle}&pageSize=100`);
      const found: { name: string }[] = body.data;
      return found.map(({ name }) => name);
    }

    await Promise.all(Array.from({ length: 60 }, create));
    for (let round = 0; round < 120; round += 1) {
      const ids = [...names.keys()].filter(() => random.oneIn(random.pick([2, 10, 30])));
      const changes = ids.map(async (id) => {
        for (let turns = random.below(12); turns > 0; turns -= 1) await Bun.sleep(0);
        await rename(id);
      });
      const beside = Array.from({ length: random.below(4) }, () => search(random.pick(words)));
      if (random.oneIn(20)) changes.push(create());
      await Promise.all([...changes, ...beside]);
      for (const needle of [random.pick(words), `${random.pick(words)} 1`]) {
        const wanted = [...names.values()].filter((name) => name.includes(needle)).toSorted();
        expect([round, needle, await search(needle)]).toEqual([round, needle, wanted]);
      }
    }
    expect(held).toBeGreaterThan(50);
  },
  60_000,
);

const byId = eq(accounts.id, integerInput("id"));
const rename = update({ table: accounts, set: inputs("name", "foldedName"), where: byId });

test.each([
  ["read", 0],
  ["renewed", 8],
])("a change is found that was noted before the names are %s, and stored after it", async (_, others) => {
  const { call, account, store, first, now } = await world();
  const made = await Promise.all(Array.from({ length: 30 }, (_, i) => account({ name: `Account ${i}` })));
  const tenant = new Tenant(store, first.id, now());
  const isHeld = () => searchIndexOf(tenant) !== undefined && (searchIndexOf(tenant)?.changed.size ?? 0) <= 5;
  const untilHeld = async () => {
    for (let i = 0; i < 400 && !isHeld(); i += 1) await Bun.sleep(5);
    expect(isHeld()).toBe(true);
  };
  if (others > 0) await untilHeld();
  const changing = tenant.write(async (tx) => {
    for (const { id } of made.slice(0, others + 1)) {
      markAccountStale(tenant, id);
      await tx.run(rename, { id, name: `Renamed ${id}`, foldedName: `renamed ${id}` });
    }
    for (let turns = 0; turns < 100; turns += 1) {
      await tx.pause();
      searchIndexOf(tenant);
    }
  });
  await changing;
  await untilHeld();
  const { body } = await call("GET", "/api/v1/accounts?search=renamed");
  expect(body.pagination.total).toBe(others + 1);
});

test("names that are too long together are not held, and not read again at once", async () => {
  const { account, call, store, first, now } = await world();
  Object.assign(searchIndexLimits, { mostBytes: 1_000, madeRoomFor: 60_000 });
  try {
    await Promise.all(Array.from({ length: 30 }, (_, i) => account({ name: `${"x".repeat(50)} ${i}` })));
    const held = () => searchIndexOf(new Tenant(store, first.id, now()));
    for (let i = 0; i < 20; i += 1) {
      expect(held()).toBeUndefined();
      await Bun.sleep(5);
    }
    expect((await call("GET", "/api/v1/accounts?search=x%2029")).body.pagination.total).toBe(1);
    Object.assign(searchIndexLimits, { mostBytes: usual.mostBytes });
    await Bun.sleep(50);
    expect(held()).toBeUndefined();
  } finally {
    Object.assign(searchIndexLimits, { mostBytes: usual.mostBytes, madeRoomFor: 0 });
  }
});

test("names that had to make room are not read again at once", async () => {
  const { account, store, first, second, now } = await world();
  Object.assign(searchIndexLimits, { mostAtAll: 50, madeRoomFor: 60_000 });
  try {
    for (const key of [first.key, second.key])
      await Promise.all(Array.from({ length: 30 }, (_, i) => account({ name: `Account ${i}` }, { key })));
    const isHeld = ({ id }: { id: number }) => searchIndexOf(new Tenant(store, id, now())) !== undefined;
    for (let i = 0; i < 400 && !isHeld(first); i += 1) await Bun.sleep(5);
    for (let i = 0; i < 400 && !isHeld(second); i += 1) await Bun.sleep(5);
    expect([isHeld(first), isHeld(second)]).toEqual([false, true]);
    await Bun.sleep(100);
    expect([isHeld(first), isHeld(second)]).toEqual([false, true]);
  } finally {
    Object.assign(searchIndexLimits, { mostAtAll: usual.mostAtAll, madeRoomFor: 0 });
  }
});
