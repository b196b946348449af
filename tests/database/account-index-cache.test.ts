import { expect, test } from "bun:test";
import type { Snapshot } from "../../db/engine.ts";
import { defaultLimits } from "../../db/sqlite/reads/account-index-cache.ts";
import { updateAccount } from "../../src/accounts/store.ts";
import { Random } from "../support/random.ts";
import { indexedWorld } from "./indexed-world.ts";

/** So small that an index is built, merged, dropped and evicted many times in a second. */
const tinyLimits = {
  minAccounts: 10,
  mergeAfter: 5,
  maxChanged: 15,
  dropAfter: 25,
  chunkRows: 7,
  rebuildMilliseconds: 0,
  evictedMilliseconds: 0,
};
const words = ["acme", "zebra", "motors", "x"];

test.each([1, 2, 3])(
  "a committed change is found, whatever is built and merged at the same time: %d",
  async (seed) => {
    const here = await indexedWorld(tinyLimits);
    const random = new Random(seed);
    const names = new Map<number, string>();
    const newName = () => `${random.of(words)} ${random.below(40)}`;
    let indexedSearches = 0;

    async function create(): Promise<void> {
      const { id, name } = await here.account({ name: newName() });
      names.set(id, name);
    }
    async function rename(id: number): Promise<void> {
      const { body } = await here.rename(id, newName());
      names.set(id, body.data.name);
    }
    async function search(needle: string): Promise<string[]> {
      if (await here.hasIndex()) indexedSearches += 1;
      return (await here.namesOf(needle)).names;
    }

    await Promise.all(Array.from({ length: 60 }, create));
    for (let round = 0; round < 120; round += 1) {
      const share = random.of([2, 10, 30]);
      const ids = [...names.keys()].filter(() => random.below(share) === 0);
      const changes = ids.map(async (id) => {
        for (let turns = random.below(12); turns > 0; turns -= 1) await Bun.sleep(0);
        await rename(id);
      });
      const searches = Array.from({ length: random.below(4) }, () => search(random.of(words)));
      if (random.below(20) === 0) changes.push(create());
      await Promise.all([...changes, ...searches]);
      for (const needle of [random.of(words), `${random.of(words)} 1`]) {
        const expected = [...names.values()].filter((name) => name.includes(needle)).toSorted();
        expect([round, needle, await search(needle)]).toEqual([round, needle, expected]);
      }
    }
    expect(indexedSearches).toBeGreaterThan(50);
  },
  60_000,
);

async function worldOf(
  count: number,
  limits: Partial<typeof defaultLimits>,
  options: { isFair?: boolean } = {},
) {
  const here = await indexedWorld({ ...tinyLimits, ...limits }, options);
  const accounts = Array.from({ length: count }, (_, i) => here.account({ name: `Account ${i}` }));
  const ids: number[] = (await Promise.all(accounts)).map(({ id }) => id);
  return { ...here, ids };
}

test.each([
  ["built", 0],
  ["merged", 8],
])("a change is found that is written before the index is %s, and committed after it", async (_, others) => {
  const here = await worldOf(30, {});
  if (others > 0) {
    await here.untilIndexed();
    for (const id of here.ids.slice(1, 1 + others)) await here.rename(id, `Changed ${id}`);
  }
  await here.tenant().write(async (tx) => {
    for (const id of here.ids.slice(0, others + 1)) await updateAccount(tx, id, { name: `Renamed ${id}` });
    for (let turn = 0; turn < 100; turn += 1) {
      await tx.pause();
      await here.hasIndex();
    }
    // The index was built or merged from the committed names by now.
    expect(await here.hasIndex()).toBe(true);
  });
  await here.untilIndexed();
  expect((await here.namesOf("renamed")).total).toBe(others + 1);
  expect((await here.namesOf("changed")).total).toBe(0);
});

/** With these, an index is in use only while no account changed since it was built. */
const noChanged = { maxChanged: 0, mergeAfter: 1_000, dropAfter: 1_000 };

test("an account is marked as changed before the write resolves", async () => {
  const here = await worldOf(30, noChanged);
  await here.untilIndexed();
  const searched = here
    .tenant()
    .write((tx) => updateAccount(tx, 1, { name: "Renamed" }))
    .then(() => here.hasIndex());
  expect(await searched).toBe(false);
});

test("neither a change that is rolled back nor one of other columns marks an account as changed", async () => {
  const here = await worldOf(30, noChanged);
  await here.untilIndexed();
  const failing = here.tenant().write(async (tx) => {
    await updateAccount(tx, 1, { name: "Renamed" });
    throw new Error("no more");
  });
  await expect(failing).rejects.toThrow("no more");
  await here.call("PATCH", "/api/v1/accounts/1", { mrr: 5 });
  expect(await here.hasIndex()).toBe(true);
  expect((await here.namesOf("renamed")).total).toBe(0);
  await here.call("PATCH", "/api/v1/accounts/1", { status: "churned" });
  expect(await here.hasIndex()).toBe(false);
});

test("a read in progress during a commit searches the names of its own snapshot", async () => {
  // Otherwise, a read whose first search took more than 2 ms is moved to a later turn, after the commit.
  const here = await worldOf(30, {}, { isFair: false });
  await here.untilIndexed();
  const search = { organizationId: here.first.id, status: undefined, isDescending: false };
  const totalOf = async (snapshot: Snapshot, needle: string) =>
    (await snapshot.searchAccounts({ ...search, needle, limit: 10, offset: 0 }))?.total;
  let isCommitted = false;
  const early: Promise<unknown>[] = [];
  await here.tenant().write(async (tx) => {
    await updateAccount(tx, here.ids[7] ?? 0, { name: "Renamed" });
    early.push(
      here.engine.read(async (snapshot) => {
        const before = await totalOf(snapshot, "account 7");
        for (let i = 0; !isCommitted && i < 1_000; i += 1) await Promise.resolve();
        const after = [await totalOf(snapshot, "account 7"), await totalOf(snapshot, "renamed")];
        return { isCommitted, before, after };
      }),
    );
  });
  isCommitted = true;
  const late = await here.engine.read(async (snapshot) => [
    await totalOf(snapshot, "account 7"),
    await totalOf(snapshot, "renamed"),
  ]);
  expect(late).toEqual([0, 1]);
  expect(await Promise.all(early)).toEqual([{ isCommitted: true, before: 1, after: [1, 0] }]);
});

test("a transaction searches the table, which has its own changes", async () => {
  const here = await worldOf(30, {});
  await here.untilIndexed();
  const search = { needle: "x", status: undefined, isDescending: false, limit: 1, offset: 0 };
  expect(await here.tenant().write((tx) => tx.searchAccounts(search))).toBeUndefined();
  expect(await here.tenant().read((snapshot) => snapshot.searchAccounts(search))).toBeDefined();
});

test("an organization with few accounts or with too many accounts has no index", async () => {
  for (const limits of [{ minAccounts: 31 }, { maxAccounts: 29 }]) {
    const here = await worldOf(30, limits);
    for (let i = 0; i < 20; i += 1) {
      expect(await here.hasIndex()).toBe(false);
      await Bun.sleep(5);
    }
    expect((await here.namesOf("account 2")).total).toBe(11);
  }
});

test("an organization whose texts are too large has no index, and they are not read again at once", async () => {
  const here = await indexedWorld({ ...tinyLimits, maxBytes: 1_000, evictedMilliseconds: 60_000 });
  await Promise.all(Array.from({ length: 30 }, (_, i) => here.account({ name: `${"x".repeat(50)} ${i}` })));
  for (let i = 0; i < 20; i += 1) {
    expect(await here.hasIndex()).toBe(false);
    await Bun.sleep(5);
  }
  expect((await here.namesOf("x 29")).total).toBe(1);
  here.indexLimits.maxBytes = defaultLimits.maxBytes;
  await Bun.sleep(50);
  expect(await here.hasIndex()).toBe(false);
});

test("the least recently used index is evicted, and is not built again at once", async () => {
  const here = await worldOf(30, { maxAccounts: 50, evictedMilliseconds: 60_000 });
  const { first, second } = here;
  await Promise.all(
    Array.from({ length: 30 }, (_, i) => here.account({ name: `Account ${i}` }, { key: second.key })),
  );
  await here.untilIndexed(first.id);
  await here.untilIndexed(second.id);
  const both = async () => [await here.hasIndex(first.id), await here.hasIndex(second.id)];
  expect(await both()).toEqual([false, true]);
  await Bun.sleep(100);
  expect(await both()).toEqual([false, true]);
});
