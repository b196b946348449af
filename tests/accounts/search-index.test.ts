import { expect, test } from "bun:test";
import { searchIndexOf } from "../../src/accounts/search-index.ts";
import { fold } from "../../src/core/folding.ts";
import { Tenant } from "../../src/core/tenant.ts";
import { randomFrom } from "../health-scores/random-steps.ts";
import { type Body, world } from "../support/world.ts";

const words = ["Acme", "Éclair", "Straße", "日本", "Motors", "gmbh", "x"];
const statuses = ["active", "onboarding", "churned"];

/** A world whose first organization has many accounts, and whether their names are held. */
async function manyWorld(count = 2_300) {
  const here = await world();
  const random = randomFrom(count);
  const given = (i: number) => ({
    name: `${random.pick(words)} ${random.pick(words)} ${random.below(300)}`,
    externalId: `cus_${i}`,
    status: random.pick(statuses),
  });
  for (let from = 0; from < count; from += 100)
    await Promise.all(Array.from({ length: 100 }, (_, i) => here.account(given(from + i))));
  const tenant = () => new Tenant(here.store, here.first.id, here.now());
  const held = async () => {
    for (let i = 0; i < 400 && !searchIndexOf(tenant()); i += 1) await Bun.sleep(5);
    expect(searchIndexOf(tenant())).toBeDefined();
  };
  return { ...here, random, given, tenant, held };
}
type Many = Awaited<ReturnType<typeof manyWorld>>;

async function everyAccount({ call }: Many): Promise<Body[]> {
  const rows: Body[] = [];
  for (let page = 1, isMore = true; isMore; page += 1) {
    const { body } = await call("GET", `/api/v1/accounts?pageSize=100&page=${page}`);
    rows.push(...body.data);
    isMore = body.pagination.hasNextPage;
  }
  return rows;
}

/** Compares some pages of some searches with what a look at every account finds. */
async function expectTrue(here: Many): Promise<void> {
  const all = await everyAccount(here);
  for (const search of ["e", "acme", "MOTORS", "strasse", "cus_1", "cus_", "日本", "nobody", "x 7"]) {
    const needle = fold(search);
    const matches = all.filter(({ name, externalId }) =>
      [name, externalId ?? ""].some((text) => fold(String(text)).includes(needle)),
    );
    for (const status of ["", "churned"]) {
      const wanted = status ? matches.filter((row) => row.churned) : matches;
      const pages = Math.max(1, Math.ceil(wanted.length / 100));
      for (const page of new Set([1, 1 + here.random.below(pages), pages, pages + 1]))
        for (const sortOrder of ["asc", "desc"]) {
          const query = new URLSearchParams({ search, sortOrder, page: `${page}`, pageSize: "100" });
          if (status) query.set("status", status);
          const { data, pagination } = (await here.call("GET", `/api/v1/accounts?${query}`)).body;
          const inOrder = sortOrder === "asc" ? wanted : wanted.toReversed();
          const rows = inOrder.slice((page - 1) * 100, page * 100);
          expect([`${query}`, pagination.total, data]).toEqual([`${query}`, wanted.length, rows]);
        }
    }
  }
}

test("searches find the same from the names that are held, through creates and changes of all kinds", async () => {
  const here = await manyWorld();
  const { call, account, random, given, pass } = here;
  await here.held();
  await expectTrue(here);
  for (let round = 0; round < 4; round += 1) {
    for (let i = 0; i < 20; i += 1) {
      pass(1);
      const id = 1 + random.below(2_300);
      const name = given(0).name;
      const change = [
        { name },
        { externalId: `new_${round}_${i}` },
        { status: random.pick(statuses) },
        { mrr: i },
      ];
      await call("PATCH", `/api/v1/accounts/${id}`, random.pick(change));
      if (random.oneIn(3)) await account({ ...given(0), externalId: `made_${round}_${i}` });
      if (random.oneIn(4)) await call("PUT", `/api/v1/accounts/external/cus_${i}`, { name });
      // Taken back: it shows nothing.
      await call("PATCH", `/api/v1/accounts/${id}`, { name: "nobody", externalId: "cus_2000" });
    }
    expect(searchIndexOf(here.tenant())).toBeDefined();
    await expectTrue(here);
  }
});

test("what is answered is found at once, while the names are read and after it", async () => {
  const here = await manyWorld();
  const { call, account } = here;
  const found = async (search: string) =>
    (await call("GET", `/api/v1/accounts?search=${search}`)).body.pagination.total;
  for (let i = 0; i < 60; i += 1) {
    // The first of these begins the reading.
    expect(await found("zebra")).toBe(i);
    const { id } = await account({ name: i % 2 ? "a zebra" : "zoo" });
    if (i % 2 === 0) await call("PATCH", `/api/v1/accounts/${id}`, { name: `Zebra ${i}` });
    expect(await found("zebra")).toBe(i + 1);
    if (i === 30) await here.held();
  }
  await expectTrue(here);
});

test("after many changes the changed accounts are put among the names, whatever changes meanwhile", async () => {
  const here = await manyWorld();
  await here.held();
  const rename = (i: number) =>
    here.call("PATCH", `/api/v1/accounts/${i + 1}`, { name: `Renamed ${i % 50}` });
  await Promise.all(Array.from({ length: 501 }, (_, i) => rename(i)));
  expect(searchIndexOf(here.tenant())?.changed.size).toBe(501);
  // Now they are being put among the names.
  const meanwhile = Array.from({ length: 100 }, (_, i) => rename(450 + i));
  await expectTrue(here);
  await Promise.all(meanwhile);
  await expectTrue(here);
  expect(searchIndexOf(here.tenant())?.changed.size).toBeLessThan(200);
  const { body } = await here.call("GET", "/api/v1/accounts?search=renamed&pageSize=1");
  expect(body.pagination.total).toBe(550);
});

test("after more changes than are looked for the database is searched until they are put among the names", async () => {
  const here = await manyWorld();
  await here.held();
  const renamed = Array.from({ length: 2_100 }, (_, i) =>
    here.call("PATCH", `/api/v1/accounts/${i + 1}`, { name: `Renamed ${i % 50}` }),
  );
  await Promise.all(renamed);
  expect(searchIndexOf(here.tenant())).toBeUndefined();
  const meanwhile = Array.from({ length: 50 }, (_, i) =>
    here.call("PATCH", `/api/v1/accounts/${i + 1}`, { name: `Renamed again ${i}` }),
  );
  await expectTrue(here);
  await Promise.all(meanwhile);
  await here.held();
  await expectTrue(here);
  expect(searchIndexOf(here.tenant())?.changed.size).toBeLessThan(200);
}, 30_000);

test("each organization's names are its own", async () => {
  const here = await manyWorld();
  await here.held();
  const theirs = { key: here.second.key };
  await here.account({ name: "Acme of theirs" }, theirs);
  const { body } = await here.call("GET", "/api/v1/accounts?search=acme", undefined, theirs);
  expect(body.data.map(({ name }: Body) => name)).toEqual(["Acme of theirs"]);
  expect((await here.call("GET", "/api/v1/accounts?search=of%20theirs")).body.data).toEqual([]);
});
