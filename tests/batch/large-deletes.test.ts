import { expect, test } from "bun:test";
import { accounts, batchWorld, put, remove } from "./batch-world.ts";

type World = Awaited<ReturnType<typeof batchWorld>>;

const owner = "organization_id, account_id";
const times = "created_at, updated_at";
/** How many rows of a kind belong to the account 1. The values of a row depend on its number `i`. */
const inserts: Record<string, string> = {
  contacts: `contacts (${owner}, name, folded_name, ${times}) SELECT 1, 1, 'C', 'c', i, i`,
  meetings: `meetings (${owner}, title, folded_title, start_at, end_at, ${times}) SELECT 1, 1, 'M', 'm', i, i, i, i`,
  requests: `requests (${owner}, title, folded_title, status, severity, requested_at, ${times})
    SELECT 1, 1, 'R', 'r', 'Open', 1, i, i, i`,
};

/** The account 1 with so many rows of each kind. */
async function worldWithRows(counts: Record<string, number>): Promise<World> {
  const here = await batchWorld();
  await here.account({ name: "Acme", externalId: "acme" });
  for (const [table, count] of Object.entries(counts))
    await here.execute(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
      INSERT INTO ${inserts[table]} FROM n`);
  return here;
}

const tooMany = {
  type: "urn:accountd:problem:too_many",
  title: "Too many rows",
  status: 400,
  detail:
    "The account has more than 1,000 contacts, meetings and requests. Delete it in its own request, outside a batch.",
  code: "too_many",
};
const path = `${accounts}/1`;
const statusesOf = (body: { data: { results: { status: number }[] } }) =>
  body.data.results.map(({ status }) => status);

test.each([
  { contacts: 1_001 },
  { meetings: 1_001 },
  { requests: 1_001 },
  { contacts: 400, meetings: 300, requests: 301 },
])(
  "a DELETE of an account with %j rows fails alone in a batch, and is stored in its own request",
  async (counts) => {
    const here = await worldWithRows(counts);
    const { batch, call, rows, faults } = here;
    const left = async () => {
      const all = await Promise.all(
        Object.keys(inserts).map((table) =>
          rows<{ count: number }>(`SELECT count(*) AS count FROM ${table}`),
        ),
      );
      return all.reduce((sum, [row]) => sum + (row?.count ?? 0), 0);
    };
    for (const target of [path, `${accounts}/external/acme`]) {
      const { status, body } = await batch("partial", [
        put("a", { name: "A" }),
        remove(target),
        put("b", { name: "B" }),
      ]);
      expect([status, body.data.succeeded, body.data.failed]).toEqual([200, 2, 1]);
      expect(body.data.results[1]).toEqual({ status: 400, body: tooMany });
    }
    expect([await left(), (await call("GET", path)).status]).toEqual([1_001, 200]);
    expect([(await call("DELETE", path)).status, await left()]).toEqual([204, 0]);
    expect(await faults(0)).toEqual([]);
  },
);

test("1,000 rows are deleted in a batch, and rows of other accounts do not count", async () => {
  const { batch, account, rows } = await worldWithRows({ contacts: 400, meetings: 300, requests: 300 });
  await account({ name: "Globex", externalId: "globex" });
  const { body } = await batch("partial", [remove(`${accounts}/2`), remove(path), remove(path)]);
  expect(statusesOf(body)).toEqual([204, 204, 404]);
  expect(await rows("SELECT id FROM contacts")).toEqual([]);
});

test("a batch deletes 10,000 rows of accounts; a DELETE beyond them fails alone, until the next batch", async () => {
  const { batch, account, rows, execute } = await batchWorld();
  for (let i = 0; i < 12; i++) await account({ name: "Acme" });
  await execute(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
    INSERT INTO contacts (${owner}, name, folded_name, ${times})
    SELECT 1, accounts.id, 'C', 'c', i, i FROM accounts, n WHERE accounts.id <= 11`);
  const removals = Array.from({ length: 12 }, (_, i) => remove(`${accounts}/${i + 1}`));
  const { body } = await batch("partial", removals);
  expect(statusesOf(body)).toEqual([...Array(10).fill(204), 400, 204]);
  expect(body.data.results[10].body).toEqual({
    ...tooMany,
    detail:
      "The accounts that the batch deletes have more than 10,000 contacts, meetings and requests. Delete this one in another batch.",
  });
  expect(await rows("SELECT count(*) AS count FROM contacts")).toEqual([{ count: 1_000 }]);
  expect(statusesOf((await batch("partial", removals)).body)).toEqual([...Array(10).fill(404), 204, 404]);
});

test("in a dry run and in an atomic batch, the DELETE fails as any operation", async () => {
  const { batch, call, stored } = await worldWithRows({ contacts: 1_001 });
  const before = await stored();
  const operations = [put("a", { name: "A" }), remove(path)];
  const dry = await call("POST", "/api/v1/batch?dryRun=true", { mode: "partial", operations });
  expect([statusesOf(dry.body), dry.body.data.results[1].body]).toEqual([[201, 400], tooMany]);
  for (const query of ["", "?dryRun=true"]) {
    const { status, body } = await call("POST", `/api/v1/batch${query}`, { mode: "atomic", operations });
    expect([status, body.code]).toEqual([422, "batch_failed"]);
    expect(body.errors).toEqual([{ pointer: "/operations/1", code: "too_many", detail: tooMany.detail }]);
  }
  expect(await stored()).toEqual(before);
  const rest = await batch("partial", [remove(path.replace("1", "99")), put("a", { name: "A" })]);
  expect(statusesOf(rest.body)).toEqual([404, 201]);
});
