import { expect, test } from "bun:test";
import { defaultLimits } from "../../db/sqlite/reads/account-index-cache.ts";
import { expectCorrectSearches, manyWorld } from "./indexed-world.ts";

test.each([
  ["the default limits", 2_300, defaultLimits],
  ["small limits", 400, {}],
])(
  "searches of the index find the same as the table, through creates, updates and deletes: %s",
  async (_, count, limits) => {
    const here = await manyWorld(count, limits);
    const { call, account, random, randomAccount, pass } = here;
    await here.untilIndexed();
    await expectCorrectSearches(here);
    for (let round = 0; round < 4; round += 1) {
      for (let i = 0; i < 20; i += 1) {
        pass(1);
        const id = 1 + random.below(count);
        const { name } = randomAccount(0);
        const change = [
          { name },
          { externalId: `new_${round}_${i}` },
          { status: random.of(["active", "onboarding", "churned"]) },
          { mrr: i },
        ];
        await call("PATCH", `/api/v1/accounts/${id}`, random.of(change));
        if (random.below(3) === 0) await account({ ...randomAccount(0), externalId: `made_${round}_${i}` });
        if (random.below(4) === 0) await call("PUT", `/api/v1/accounts/external/cus_${i}`, { name });
        // Rolled back: it must not be found.
        await call("PATCH", `/api/v1/accounts/${id}`, { name: "nobody", externalId: "cus_399" });
        if (random.below(4) === 0) await call("DELETE", `/api/v1/accounts/${1 + ((id + 7) % (count - 10))}`);
      }
      expect(await here.hasIndex()).toBe(true);
      await expectCorrectSearches(here);
    }
  },
  60_000,
);

test("a committed change is found at once, while the index is built and after it", async () => {
  const here = await manyWorld(400);
  const total = async (text: string) => (await here.namesOf(text)).total;
  for (let i = 0; i < 60; i += 1) {
    // The first of these starts the build.
    expect(await total("zebra")).toBe(i);
    const { id } = await here.account({ name: i % 2 ? "a zebra" : "zoo" });
    if (i % 2 === 0) await here.rename(id, `Zebra ${i}`);
    expect(await total("zebra")).toBe(i + 1);
    if (i === 30) await here.untilIndexed();
  }
  await expectCorrectSearches(here);
});

test("many changed accounts are merged into the index, whatever changes during the merge", async () => {
  const here = await manyWorld(400);
  await here.untilIndexed();
  const rename = (i: number) => here.rename(i + 1, `Renamed ${i % 50}`);
  for (const round of [1, 2, 3]) {
    await Promise.all(Array.from({ length: 101 }, (_, i) => rename(i)));
    expect([round, await here.hasIndex()]).toEqual([round, true]);
    // That search started a merge.
    await Promise.all(Array.from({ length: 60 }, (_, i) => rename(80 + i)));
    await expectCorrectSearches(here);
    // Without merges there would be more changed accounts than are searched.
    expect([round, await here.hasIndex()]).toEqual([round, true]);
  }
  expect((await here.namesOf("renamed")).total).toBe(140);
});

test("with too many changed accounts the table is searched until they are merged", async () => {
  const here = await manyWorld(400);
  await here.untilIndexed();
  await Promise.all(Array.from({ length: 210 }, (_, i) => here.rename(i + 1, `Renamed ${i % 50}`)));
  expect(await here.hasIndex()).toBe(false);
  await Promise.all(Array.from({ length: 20 }, (_, i) => here.rename(i + 1, `Renamed again ${i}`)));
  await expectCorrectSearches(here);
  await here.untilIndexed();
  await expectCorrectSearches(here);
});

test("an index with very many changed accounts is dropped and built again", async () => {
  const here = await manyWorld(400, { maxChanged: 2_000, dropAfter: 300, rebuildMilliseconds: 0 });
  await here.untilIndexed();
  const all = Array.from({ length: 310 }, (_, i) => here.rename(i + 1, `Renamed ${i % 50}`));
  await Promise.all(all);
  expect(await here.hasIndex()).toBe(false);
  await here.untilIndexed();
  await expectCorrectSearches(here);
});

test("each organization has an index of its own accounts", async () => {
  const here = await manyWorld(400);
  await here.untilIndexed();
  const theirs = { key: here.second.key };
  await here.account({ name: "Acme of theirs" }, theirs);
  expect((await here.namesOf("acme", theirs)).names).toEqual(["Acme of theirs"]);
  expect((await here.namesOf("of theirs")).names).toEqual([]);
});
