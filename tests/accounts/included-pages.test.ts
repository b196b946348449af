import { expect, test } from "bun:test";
import { type Included, includable, readIncludedInPage, wantedMembers } from "../../src/accounts/included.ts";
import { accountList } from "../../src/accounts/list.ts";
import { TenantSnapshot } from "../../src/core/tenant/transaction.ts";
import { world } from "../support/world.ts";

const all = includable.join(",");

test("the members of 100 accounts take as many statements as those of one, and with lists or attributes twice as many", async () => {
  const { account, call, engine, first } = await world();
  for (let i = 0; i < 100; i += 1) {
    const { id } = await account({ name: `Account ${i}`, contactName: "Ada" });
    if (i % 10 === 0) await call("POST", `/api/v1/accounts/${id}/requests`, { title: "SSO", status: "Done" });
  }
  const countStatements = (pageSize: number, include: string) =>
    engine.read(async (snapshot) => {
      let count = 0;
      const counted = new Proxy(snapshot, {
        get(target, name) {
          const member = Reflect.get(target, name);
          if (typeof member !== "function") return member;
          if (name === "all" || name === "first") count += 1;
          return member.bind(target);
        },
      });
      const tenant = new TenantSnapshot(counted, first.id);
      const { rows } = await accountList.request({ page: 1, pageSize }, tenant.now).read(tenant);
      count = 0;
      const included = await readIncludedInPage(tenant, rows, {
        wanted: wantedMembers({ include }),
        maxLength: 1_000_000,
      });
      return { count, rows: rows.length, members: new Set(included.flatMap(Object.keys)).size };
    });
  for (const [include, names, parts] of [
    [all, 7, 2],
    ["health,contactActivity", 2, 1],
  ] as const) {
    const [one, hundred] = [await countStatements(1, include), await countStatements(100, include)];
    expect([one.rows, hundred.rows, one.members, hundred.members]).toEqual([1, 100, names, names]);
    expect(hundred.count).toBe(parts * one.count);
  }
});

test("of a page that becomes too large, only the first accounts are read", async () => {
  const { call, engine, first } = await world();
  // 5,000 characters for each account.
  const attributes = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`a${i}`, "x".repeat(490)]));
  const accounts = Array.from({ length: 100 }, (_, i) => ({
    externalId: `a-${i}`,
    name: `Account ${i}`,
    attributes,
  }));
  await call("POST", "/api/v1/accounts/batch", { accounts });
  const read = (maxLength: number) =>
    engine.read(async (snapshot) => {
      const tenant = new TenantSnapshot(snapshot, first.id);
      const { rows } = await accountList.request({ page: 1, pageSize: 100 }, tenant.now).read(tenant);
      const wanted = wantedMembers({ include: "attributes" });
      const included = await readIncludedInPage(tenant, rows, { wanted, maxLength });
      return { count: included.length, length: included.reduce((sum, row) => sum + lengthOf(row), 0) };
    });
  const whole = await read(1_000_000);
  expect([whole.count, whole.length > 490_000]).toEqual([100, true]);
  const cut = await read(200_000);
  expect(cut.length).toBeGreaterThan(200_000);
  expect(cut.count).toBeLessThan(50);
});

const lengthOf = ({ attributes = "" }: Included) => attributes.length;
