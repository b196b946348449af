import { expect, setDefaultTimeout, test } from "bun:test";
import { type RandomWorld, randomSteps, runStep } from "../health-scores/random-steps.ts";
import { seedsUpTo } from "../support/seeds.ts";
import type { Body } from "../support/world.ts";
import { type Change, changeWorld } from "./change-world.ts";

setDefaultTimeout(120_000);

type Rows = Map<string, Body>;
type World = Awaited<ReturnType<typeof changeWorld>>;

/** Applies the changes in order. Fails when the `before` of a change is not the result of the changes before it. */
function replay(changes: Change[]): { rows: Rows; tiers: Map<number, unknown> } {
  const rows: Rows = new Map();
  const tiers = new Map<number, unknown>();
  for (const { sequence, type, resourceId, accountId, before, after } of changes) {
    const [resource = "", action] = type.split(".");
    const key = `${resource} ${resourceId}`;
    if (action === "health_changed") {
      expect([sequence, before?.tier]).toEqual([sequence, tiers.get(accountId) ?? null]);
      tiers.set(accountId, after?.tier);
      continue;
    }
    const row = rows.get(key);
    expect([sequence, row === undefined]).toEqual([sequence, action === "created"]);
    if (row && before)
      expect([sequence, comparable(row, before)]).toMatchObject([sequence, comparable(before)]);
    // The change of a delete has all members.
    if (action === "deleted") expect(Object.keys(before ?? {}).sort()).toEqual(Object.keys(row ?? {}).sort());
    if (after) rows.set(key, { ...row, ...after, ...mergedAttributes(row, after) });
    else rows.delete(key);
    if (type !== "account.deleted") continue;
    tiers.delete(accountId);
    for (const [other, { accountId: owner }] of rows) if (owner === accountId) rows.delete(other);
  }
  return { rows, tiers };
}

/** A change has the attributes that it set, and null for those that it removed. */
function mergedAttributes(row: Body | undefined, { attributes }: Body): Body {
  if (attributes === undefined) return {};
  const merged = Object.entries({ ...(row?.attributes as Body), ...(attributes as Body) });
  return { attributes: Object.fromEntries(merged.filter(([, value]) => value !== null)) };
}

/** The members to compare: null for the attributes of `before` that the row does not have. */
function comparable(row: Body, before: Body = {}): Body {
  const names = Object.keys((before.attributes as Body) ?? {});
  const missing = Object.fromEntries(names.map((name) => [name, null]));
  return withoutLastSeen({
    ...row,
    ...(row.attributes !== undefined && { attributes: { ...missing, ...(row.attributes as Body) } }),
  });
}

/** `lastSeenAt` of a contact changes without a record. */
function withoutLastSeen({ lastSeenAt: _, ...row }: Body): Body {
  return row;
}

/** Every row as its list returns it. */
async function stored({ call }: World, key: string): Promise<Rows> {
  const rows: Rows = new Map();
  const list = async (path: string, query = ""): Promise<Body[]> => {
    const { data, pagination } = (await call("GET", `${path}?pageSize=100${query}`, undefined, { key })).body;
    expect(pagination.hasNextPage).toBe(false);
    return data;
  };
  for (const account of await list("/api/v1/accounts", "&include=attributes")) {
    rows.set(`account ${account.id}`, account);
    for (const noun of ["contact", "meeting", "request"])
      for (const row of await list(`/api/v1/accounts/${account.id}/${noun}s`))
        rows.set(`${noun} ${row.id}`, withoutLastSeen(row));
  }
  return rows;
}

/** The rows of a replay without the members that the list of accounts does not return. */
function listed(rows: Rows): Rows {
  return new Map(
    [...rows].map(([key, row]) => {
      const { status: _, contactActivityAt: __, ...account } = row;
      return [key, key.startsWith("account") ? account : withoutLastSeen(row)];
    }),
  );
}

test.each(seedsUpTo(6))(
  "after random requests, a replay of the changes has every stored row and every tier: %d",
  async (seed) => {
    const here = await changeWorld();
    const organizations = [here.first, here.second].map(({ key }) => ({
      key,
      accounts: [] as number[],
      contacts: [],
      meetings: [],
      requests: [],
    }));
    for (const own of organizations) own.accounts.push((await here.account({ name: "Acme" }, own)).id);
    const place: RandomWorld = { here, organizations, timestamps: [here.now()] };
    const running: Promise<void>[] = [];
    for (const step of randomSteps(250, 500 + seed)) {
      // With odd seeds, requests run concurrently.
      if (seed % 2 === 0 || ["time", "jobs"].includes(step.kind)) await Promise.all(running.splice(0));
      running.push(runStep(step, place));
    }
    await Promise.all(running);
    for (const { key } of organizations) {
      const changes = await here.changes({ key });
      expect(changes.map(({ sequence }) => sequence)).toEqual(changes.map((_, index) => index + 1));
      const { rows } = replay(changes);
      expect(listed(rows)).toEqual(await stored(here, key));
      const health = (await here.call("GET", "/api/v1/health?pageSize=100", undefined, { key })).body.data;
      // The list recomputed scores, so the changes are read again.
      const { tiers } = replay(await here.changes({ key }));
      for (const { accountId, tier } of health)
        expect([accountId, tiers.get(accountId) ?? null]).toEqual([accountId, tier]);
    }
  },
);
