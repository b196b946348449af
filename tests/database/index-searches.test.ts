import { expect, test } from "bun:test";
import { manyWorld } from "./indexed-world.ts";

const search = { needle: "acme", status: undefined, isDescending: false, limit: 10, offset: 0 };

test("reads by key do not wait for a search of a large index, and organizations search in turn", async () => {
  const here = await manyWorld(400, { searchRows: 20 });
  const theirs = here.second.id;
  for (let i = 0; i < 400; i += 1) await here.account({ name: `Acme ${i}` }, { key: here.second.key });
  await here.untilIndexed();
  await here.untilIndexed(theirs);
  const order: string[] = [];
  const searchOf = (organizationId: number, name: string) =>
    here.engine
      .read((snapshot) => snapshot.searchAccounts({ ...search, needle: "absent", organizationId }))
      .then(() => void order.push(name));
  const searches = [1, 2, 3].map((i) => searchOf(here.first.id, `search ${i}`));
  searches.push(searchOf(theirs, "their search"));
  await here.call("GET", "/api/v1/accounts/1");
  order.push("get");
  await Promise.all(searches);
  expect(order[0]).toBe("get");
  expect(order.slice(1).toSorted()).toEqual(["search 1", "search 2", "search 3", "their search"]);
  expect(order.indexOf("their search")).toBeLessThan(order.indexOf("search 2"));
});

test("a search whose index is renewed between its steps finds every match", async () => {
  const here = await manyWorld(400, { searchRows: 20, mergeAfter: 0 });
  await here.untilIndexed();
  for (let round = 0; round < 20; round += 1) {
    const changed = here.rename(1 + round, `Renamed ${round}`);
    const found = here.namesOf("renamed");
    await changed;
    expect((await found).total - round).toBeOneOf([0, 1]);
    expect((await here.namesOf("renamed")).total).toBe(round + 1);
  }
});

test("a failed read after a search does not delay the next search of its organization", async () => {
  const here = await manyWorld(400, { searchRows: 20 });
  await here.untilIndexed();
  const organizationId = here.first.id;
  const failed = here.engine.read(async (snapshot) => {
    await snapshot.searchAccounts({ ...search, organizationId });
    throw new Error("after the search");
  });
  // `expect().rejects` runs the event loop by itself, in which an immediate waits for the next timer.
  const results = await Promise.allSettled([failed, here.searchAccounts({ needle: "acme" })]);
  expect(results).toEqual([
    { status: "rejected", reason: new Error("after the search") },
    { status: "fulfilled", value: expect.objectContaining({ ids: expect.any(Array) }) },
  ]);
});

test("of the searches of one organization, 1,000 wait and further ones are refused; the others are not affected", async () => {
  const here = await manyWorld(400, { searchRows: 20 });
  await here.untilIndexed();
  const results = await Promise.allSettled(Array.from({ length: 1_005 }, () => here.searchAccounts()));
  const refused = results.filter(({ status }) => status === "rejected");
  expect(refused.map((result) => "reason" in result && result.reason.code)).toEqual(
    Array(4).fill("TOO_MANY_READS"),
  );
  expect(await here.hasIndex()).toBe(true);
});

test("a search with few matches runs at once in all of its steps; one with more than 1,000 does not", async () => {
  const here = await manyWorld(1_400, { searchRows: 20, maxAtOnceMilliseconds: Number.POSITIVE_INFINITY });
  await here.untilIndexed();
  const order: string[] = [];
  const searchFor = (needle: string) => here.searchAccounts({ needle }).then(() => void order.push(needle));
  const searches = [searchFor("cus_"), searchFor("absent")];
  await Promise.all(searches);
  expect(order).toEqual(["absent", "cus_"]);
});
