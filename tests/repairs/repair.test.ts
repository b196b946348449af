import { expect, test } from "bun:test";
import type { Send } from "../../src/cli/client.ts";
import { findAndRepair, findFaults } from "../../src/cli/faults.ts";
import { daysUntilFinal } from "../../src/core/event-limits.ts";
import { dayOf } from "../../src/core/timestamps.ts";
import { runDueJobs } from "../../src/jobs/scheduler.ts";
import { operatorOf } from "../support/operator.ts";
import { beginning, beginningText, world } from "../support/world.ts";
import { repairs } from "./cases.ts";

/** A service with derived values of every kind, all of them right. */
async function filledWorld() {
  const here = await world();
  const { account, call } = here;
  await account({
    name: "Ärzte",
    externalId: "ä",
    contactName: "Ada",
    contactEmail: "Ada@X.example",
    attributes: { plan: "pro", seats: 3 },
  });
  await account({ name: "Beta", status: "churned", attributes: { plan: "free" } });
  await call("PATCH", "/api/v1/contacts/1", { attributes: { share: 0.3 } });
  await call("POST", "/api/v1/accounts/1/meetings", {
    title: "Öffnung",
    startAt: beginningText,
    endAt: beginningText,
  });
  await call("POST", "/api/v1/accounts/1/requests", { title: "SSO", severity: 4 });
  const sent = (externalId: string, userId?: string) => ({ event: "login", externalId, userId });
  const events = [sent("ä", "u1"), sent("ä", "u2"), sent("ä", "u2"), sent("none"), sent("none")];
  await call("POST", "/api/v1/events", { events });
  await runScores(here);
  return here;
}

type Filled = Awaited<ReturnType<typeof world>>;

/** Computes the scores: the clock passes a second, so that they are newer. */
async function runScores({ engine, jobs, pass }: Filled) {
  pass(1_000);
  await runDueJobs({ engine, jobs });
}

function checkOf({ storage, engine, now }: Filled, wrap = (send: Send): Send => send) {
  const options = { clock: now, firstCompleteDay: dayOf(beginning) - daysUntilFinal };
  const { send } = operatorOf(engine);
  return {
    find: async () => (await findFaults(storage, options)).texts,
    repair: () => findAndRepair(storage, wrap(send), options),
  };
}

const none = { texts: [], derived: [] };
const tables = [
  ["accounts", "id"],
  ["account_counts", "status, tier"],
  ["account_changes", "account_id, sequence"],
  ["attribute_names", "resource, name"],
  ["attribute_values", "resource, row_id, name"],
  ["contacts", "id"],
  ["events", "id"],
  ["meetings", "id"],
  ["requests", "id"],
  ["unmatched_ids", "external_id"],
  ["usage_days", "account_id, day, event"],
  ["usage_sum_users", "day, event, user_id"],
  ["usage_sums", "day, event"],
  ["usage_users", "account_id, day, event, user_id"],
];

/**
 * The rows of all tables that a repair changes, without what may differ: ids of unmatched ids, times of scores, and
 * counts of no accounts.
 */
async function rowsOf({ rows }: Filled) {
  const contents = await Promise.all(
    tables.map(([table, key]) => rows<Record<string, unknown>>(`SELECT * FROM ${table} ORDER BY ${key}`)),
  );
  return contents.map((list, i) =>
    list.flatMap(({ scored_at: _, ...row }) => {
      if (tables[i]?.[0] === "unmatched_ids") delete row.id;
      return row.count === 0 ? [] : [row];
    }),
  );
}

test("a database without faults has nothing to repair", async () => {
  expect(await checkOf(await filledWorld()).repair()).toEqual({ repaired: [], found: none });
});

test.each(repairs)("check --repair after %s restores every row", async (sql, lines, repaired = lines) => {
  const here = await filledWorld();
  const before = await rowsOf(here);
  await here.execute(sql);
  const { find, repair } = checkOf(here);
  expect((await find()).sort()).toEqual(lines);
  const result = await repair();
  expect(result.found).toEqual(none);
  expect(result.repaired.sort()).toEqual(repaired);
  await runScores(here);
  expect(await rowsOf(here)).toEqual(before);
  expect(await find()).toEqual([]);
});

test("a number that is wrong together with its limit is repaired after the limit", async () => {
  const here = await filledWorld();
  const before = await rowsOf(here);
  await here.execute("UPDATE usage_days SET count = 9, users = 9");
  const { repair } = checkOf(here);
  const { repaired, found } = await repair();
  expect(found).toEqual(none);
  const day = "organization 1, account 1, 2026-01-02: usage_days has";
  const sums = "organization 1, 2026-01-02: usage_sums has";
  expect(repaired).toEqual([
    `${day} 8 further users, the table usage_users 1`,
    `${sums} 3 events, the table usage_days 9`,
    `${day} 9 events, the table events 3`,
    `${sums} 9 events, the table usage_days 3`,
  ]);
  await runScores(here);
  expect(await rowsOf(here)).toEqual(before);
});

const wrongCount = "UPDATE account_counts SET count = 7 WHERE status = 'churned'";

test("a repair stays right when rows change between the comparison and the repair", async () => {
  const here = await filledWorld();
  await here.execute(wrongCount);
  const wrap =
    (send: Send): Send =>
    async (path, options) => {
      await here.account({ name: "New", status: "churned" });
      return send(path, options);
    };
  expect((await checkOf(here, wrap).repair()).found).toEqual(none);
});

test("control: a repair that sets the number of the comparison is found", async () => {
  const here = await filledWorld();
  await here.execute(wrongCount);
  const setNumber =
    (send: Send): Send =>
    async (path, options) => {
      if (options?.method !== "POST") return send(path, options);
      await here.account({ name: "New", status: "churned" });
      await here.execute("UPDATE account_counts SET count = 1 WHERE status = 'churned'");
      return Response.json({ repaired: [true] });
    };
  expect((await checkOf(here, setNumber).repair()).found.texts).toHaveLength(1);
});

test("two repairs at once repair each value once", async () => {
  const here = await filledWorld();
  const before = await rowsOf(here);
  await here.execute(`${wrongCount}; UPDATE usage_days SET count = 9; UPDATE accounts SET rank = 7`);
  const results = await Promise.all([checkOf(here).repair(), checkOf(here).repair()]);
  expect(results.map(({ found }) => found)).toEqual([none, none]);
  expect(results.map(({ repaired }) => repaired.length).sort()).toEqual([0, 4]);
  await runScores(here);
  expect(await rowsOf(here)).toEqual(before);
});

test("a difference that was found before the repair of another command is not added", async () => {
  const here = await filledWorld();
  const before = await rowsOf(here);
  await here.execute(wrongCount);
  let isReplaced = false;
  const wrap =
    (send: Send): Send =>
    async (path, options) => {
      if (options?.method === "POST" && !isReplaced) {
        isReplaced = true;
        // As after the time of the lease.
        await here.engine.repairs.end(path.split("/").at(-1) ?? "");
        expect((await checkOf(here).repair()).repaired).toHaveLength(1);
      }
      return send(path, options);
    };
  expect(await checkOf(here, wrap).repair()).toEqual({ repaired: [], found: none });
  await runScores(here);
  expect(await rowsOf(here)).toEqual(before);
});

test("an address that another contact of the account has stays reported", async () => {
  const here = await filledWorld();
  await here.call("POST", "/api/v1/accounts/1/contacts", { name: "Eve", email: "eve@x.example" });
  await here.execute("UPDATE contacts SET email = 'ADA@x.example' WHERE id = 2");
  const { find, repair } = checkOf(here);
  const lines = ["organization 1, contact 2: the folded copy of email is wrong"];
  const { repaired, found } = await repair();
  expect([repaired, found.texts, await find()]).toEqual([[], lines, lines]);
});
