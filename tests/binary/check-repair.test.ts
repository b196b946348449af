import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { output, run } from "./binary.ts";
import { service } from "./service.ts";

setDefaultTimeout(60_000);

/** Makes a count and a folded text of the service's database wrong, and removes the event that another count counts. */
function makeWrong(file: string): void {
  using client = new Database(file);
  client.run("PRAGMA busy_timeout = 5000");
  client.run("UPDATE account_counts SET count = count + 3 WHERE status = 'churned'");
  client.run("UPDATE accounts SET folded_name = 'x' WHERE id = 1");
  client.run("UPDATE usage_sums SET count = count + 5");
}

/** A service with a churned account and an event. */
async function filledService() {
  const here = await service();
  await here.send("POST", "/api/v1/accounts", { name: "Gone", externalId: "g", status: "churned" });
  await here.send("POST", "/api/v1/events", { events: [{ event: "login", externalId: "g" }] });
  return here;
}

const today = () => new Date().toISOString().slice(0, 10);
const folded = "organization 1, account 1: the folded copy of name is wrong";

test("check says what --repair derives again, --repair does it without a server, and reports the rest", async () => {
  const { cwd, server, database } = await filledService();
  await server.stop();
  makeWrong(database);
  const lines = [
    "organization 1: account_counts has 4 accounts of status churned and tier none, the table accounts 1",
    `organization 1, ${today()}: usage_sums has 6 events, the table usage_days 1`,
    folded,
  ];
  expect(await run(["check"], { cwd })).toEqual({
    code: 1,
    stdout: `${lines.join("\n")}\n`,
    stderr: "data/accountd.db has faults: 3. accountd check --repair derives 3 of them from other rows.\n",
  });
  const { stdout } = await run(["check", "--json"], { cwd });
  expect(JSON.parse(stdout)).toEqual({ database: "data/accountd.db", status: "faulty", faults: lines });
  {
    using client = new Database(database);
    client.run("INSERT INTO health_days VALUES (1, 7, 20000, NULL, NULL)");
  }
  const kept = "organization 1: 1 rows of health_days belong to account 7, which does not exist";
  expect(await run(["check", "--repair"], { cwd })).toEqual({
    code: 1,
    stdout: `${lines.map((line) => `repaired: ${line}\n`).join("")}${kept}\n`,
    stderr: "data/accountd.db has faults: 1. Restore a backup.\n",
  });
  expect(await run(["check", "--quick", "--repair"], { cwd })).toMatchObject({
    code: 2,
    stderr: "--quick finds nothing that --repair repairs.\naccountd check --help shows its usage.\n",
  });
});

test("two check --repair at once repair a count once, next to a server while it changes", async () => {
  const { cwd, send, database } = await filledService();
  let isDone = false;
  const write = async () => {
    for (let count = 1; ; count += 1) {
      const { status } = await send("POST", "/api/v1/accounts", { name: `New ${count}`, status: "churned" });
      if (status !== 201) throw new Error(`not created: ${status}`);
      await send("POST", "/api/v1/events", { events: [{ event: "login", externalId: "g" }] });
      if (isDone) return count;
    }
  };
  const writers = [write(), write(), write(), write()];
  makeWrong(database);
  const repair = async () => JSON.parse(await output(["check", "--repair", "--json"], { cwd }));
  const results = await Promise.all([repair(), repair()]);
  isDone = true;
  const created = (await Promise.all(writers)).reduce((sum, count) => sum + count, 1);
  expect(results.map(({ status }) => status)).toEqual(["ok", "ok"]);
  expect(results.flatMap(({ repaired }) => repaired)).toEqual([
    expect.stringMatching(/^organization 1: account_counts has \d+ accounts of status churned and tier none/),
    expect.stringMatching(/^organization 1, [-\d]+: usage_sums has \d+ events, the table usage_days \d+$/),
    folded,
  ]);
  expect(await output(["check"], { cwd })).toBe("data/accountd.db is sound.");
  const { body } = await send("GET", "/api/v1/accounts?status=churned&pageSize=1");
  expect(body.pagination.total).toBe(created);
});
