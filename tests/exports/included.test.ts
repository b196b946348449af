import { expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import { healthWorld } from "../health-scores/health-world.ts";
import { beginning, beginningText } from "../support/world.ts";

const path = "/api/v1/accounts";
const ownColumns = "id,externalId,name,mrr,status,logoUrl,contactActivityAt,createdAt,updatedAt";

/** Three accounts: contact set by hand, seen by a platform whose name begins as a formula, and without any activity. */
async function exportWorld() {
  const here = await healthWorld();
  const ids: number[] = [];
  for (const name of ["Api", "Platform", "Silent"]) {
    const { id } = await here.account({ name, externalId: name.toLowerCase() });
    ids.push(id);
  }
  const [first, second] = ids;
  await here.change({ contactActivityAt: beginningText, attributes: { plan: "pro" } }, first);
  await here.seen([{ accountId: second, source: "=crm", lastSeenAt: here.textOf(beginning - 1_000) }]);
  const rowsOf = async (query: string): Promise<Record<string, string>[]> =>
    parse((await here.call("GET", `${path}.csv?sortBy=createdAt&${query}`)).text, { columns: true });
  return { ...here, rowsOf };
}

test("include adds columns of health and contact activity to accounts.csv, before those of the attributes", async () => {
  const { call, rowsOf } = await exportWorld();
  const { status, text } = await call("GET", `${path}.csv?sortBy=createdAt&include=contactActivity,health`);
  expect([status, text.split("\n")[0]]).toEqual([
    200,
    `${ownColumns},health.score,health.tier,contactActivity.at,contactActivity.source,attributes.plan`,
  ]);
  const added = (await rowsOf("include=health,contactActivity")).map((row) => [
    row["health.score"],
    row["health.tier"],
    row["contactActivity.at"],
    row["contactActivity.source"],
    row.contactActivityAt,
  ]);
  expect(added).toEqual([
    ["100", "healthy", beginningText, "api", beginningText],
    ["100", "healthy", new Date(beginning - 1_000).toISOString(), "'=crm", ""],
    ["", "", "", "", ""],
  ]);
});

test("include adds one member alone, and without it the export stays the same", async () => {
  const { rowsOf } = await exportWorld();
  const columnsOf = async (query: string) => Object.keys((await rowsOf(query))[0] ?? {}).join();
  expect(await columnsOf("")).toBe(`${ownColumns},attributes.plan`);
  expect(await columnsOf("include=health")).toBe(`${ownColumns},health.score,health.tier,attributes.plan`);
  expect(await columnsOf("include=contactActivity")).toBe(
    `${ownColumns},contactActivity.at,contactActivity.source,attributes.plan`,
  );
});

test("include adds the members of the list to accounts.jsonl", async () => {
  const { call } = await exportWorld();
  const query = "sortBy=createdAt&include=health,contactActivity";
  const { text } = await call("GET", `${path}.jsonl?${query}`);
  const exported = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const listed = (await call("GET", `${path}?${query}`)).body.data;
  const pick = (rows: Record<string, unknown>[]) =>
    rows.map(({ id, health, contactActivity }) => ({ id, health, contactActivity }));
  expect(pick(exported)).toEqual(pick(listed));
  expect(exported[2]).toMatchObject({ health: { score: null, tier: null }, contactActivity: null });
  const plain = (await call("GET", `${path}.jsonl?sortBy=createdAt`)).text.trim().split("\n");
  expect(plain.map((line) => JSON.parse(line))).toEqual(
    exported.map(({ health, contactActivity, ...row }) => row),
  );
});

test.each(["csv", "jsonl"])("Other members cannot be added to accounts.%s", async (format) => {
  const { call } = await healthWorld();
  for (const name of ["contacts", "attributes", "status", "nothing", ""]) {
    const { status, body } = await call("GET", `${path}.${format}?include=${name}`);
    expect([name, status, body.errors?.[0]?.parameter]).toEqual([name, 400, "include"]);
  }
});

test("The first slice of 20 accounts is read by a constant number of statements, with the added members, too", async () => {
  const { call, countStatements } = await statementWorld();
  const accounts = Array.from({ length: 20 }, (_, i) => ({ externalId: `${i}`, name: `${i}` }));
  const query = `${path}.csv?include=health,contactActivity`;
  await call("POST", `${path}/batch`, { accounts: accounts.slice(0, 2) });
  const few = await countStatements(query);
  await call("POST", `${path}/batch`, { accounts });
  expect(await countStatements(query)).toBe(few);
});

/** A world that counts the statements of the snapshots in which a request reads. */
async function statementWorld() {
  const here = await healthWorld();
  let count = 0;
  const { read } = here.engine;
  here.engine.read = (fn, options) =>
    read((snapshot) => {
      const counted = new Proxy(snapshot, {
        get(target, name) {
          const value = Reflect.get(target, name, target);
          if (typeof value !== "function") return value;
          return (...input: unknown[]) => {
            count += 1;
            return value.apply(target, input);
          };
        },
      });
      return fn(counted);
    }, options);
  const countStatements = async (path: string) => {
    count = 0;
    expect((await here.call("GET", path)).status).toBe(200);
    return count;
  };
  return { ...here, countStatements };
}
