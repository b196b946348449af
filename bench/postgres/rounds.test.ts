import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { startPostgres } from "../../tests/support/postgres-server.ts";
import { useMemory } from "../../tests/support/temporary-folder.ts";
import type { Mismatch } from "../check.ts";
import type { Contestant } from "../contestants.ts";
import { mainPlans } from "../organizations.ts";
import { endServers } from "../server.ts";
import { checkOnPostgres } from "./check.ts";
import { postgresContestants } from "./contestants.ts";
import { makeTemplate, type PostgresData } from "./data.ts";
import { urlOf } from "./database.ts";
import { measureOnPostgres } from "./rounds.ts";
import { type BenchServer, connectTo } from "./server.ts";
import { postgresWorks } from "./work.ts";

useMemory();
/** A large organization of 1,000 accounts, and 65 of 60. */
const plans = mainPlans(true)
  .slice(0, 66)
  .map((plan, i) => ({ ...plan, accounts: i === 0 ? 1_000 : 60 }));
const folder = mkdtempSync(join(tmpdir(), "bench-postgres-"));
const lines: string[] = [];
let server: BenchServer;
let data: PostgresData;

beforeAll(async () => {
  const started = await startPostgres({ isDurable: true });
  server = await connectTo(started.url, started.remove);
  data = await makeTemplate(server, "small", plans, (line) => lines.push(line));
});
afterAll(async () => {
  endServers();
  await server.stop();
  rmSync(folder, { recursive: true });
});

/** accountd from its sources, because the binary may not be built. */
const main = join(import.meta.dir, "../../src/main.ts");
const accountd: Contestant = {
  ...contestantNamed("accountd"),
  command: (port, database) => ({
    cmd: [process.execPath, "--no-env-file", main, "serve", "--port", `${port}`, "--database", database],
    env: {},
  }),
};
const others = postgresContestants.filter(({ name }) => name !== "accountd");
const missing = new Map<string, string | undefined>();
for (const { name, missing: missingOf } of others) missing.set(name, await missingOf());

function contestantNamed(wanted: string): Contestant {
  const contestant = postgresContestants.find(({ name }) => name === wanted);
  if (!contestant) throw new Error(`there is no contestant ${wanted}`);
  return contestant;
}

/** A server that replies to every request in the same way. */
function contestantThatReplies(status: number): Contestant {
  const program = `Bun.serve({ hostname: "127.0.0.1", port: Number(process.env.PORT),
    fetch: ({ url }) => new Response("{}", { status: url.endsWith("/livez") ? 200 : ${status} }) })`;
  const command: Contestant["command"] = (port) => ({
    cmd: [process.execPath, "-e", program],
    env: { PORT: String(port) },
  });
  return { ...contestantNamed("fastify"), name: "other", command };
}

const absent: Contestant = {
  ...contestantThatReplies(200),
  name: "absent",
  command: () => ({ cmd: ["false"], env: {} }),
};

test("the template has the accounts of the organizations, with statistics, and is created once", async () => {
  const sql = new SQL({ url: urlOf(server, data.template), max: 1 });
  const counts =
    await sql`select organization_id::int, count(*)::int from accounts group by 1 order by 1`.values();
  const [statistics] = await sql`select reltuples::int as rows from pg_class where relname = 'accounts'`;
  await sql.close({ timeout: 0 });
  expect([...counts]).toEqual(plans.map(({ id, accounts }) => [id, accounts]));
  expect(statistics.rows).toBe(4_900);
  expect(data.organizations.large.needles.frequent).not.toBe("");
  const printed = lines.length;
  expect(await makeTemplate(server, "small", plans, (line) => lines.push(line))).toEqual(data);
  expect(lines).toHaveLength(printed);
});

/** accountd runs once, and then all others. */
let mismatches: Promise<Mismatch[]> | undefined;
async function differencesOfContestant(wanted: string): Promise<string[] | undefined> {
  const present = others.filter(({ name }) => missing.get(name) === undefined);
  const place = { server, data, folder };
  mismatches ??= checkOnPostgres(accountd, [...present, contestantThatReplies(200), absent], place);
  return (await mismatches).find(({ contestant }) => contestant === wanted)?.differences;
}

for (const { name } of others)
  test.skipIf(missing.get(name) !== undefined)(
    `${name} replies as accountd, and counts the same`,
    async () => {
      expect(await differencesOfContestant(name)).toBeUndefined();
    },
  );

test("a contestant that replies otherwise, or does not start, is reported", async () => {
  expect((await differencesOfContestant("other"))?.length).toBeGreaterThan(100);
  expect(await differencesOfContestant("absent")).toEqual([expect.stringContaining("does not reply")]);
});

test("a round measures every work with the processor time, and slow flushes on a database with them", async () => {
  const names = ["get", "search-rare", "create-64-organizations", "create-1", "create-1@flush"];
  const works = postgresWorks(data).filter(({ name }) => names.includes(name));
  expect(works).toHaveLength(names.length);
  const options = { rounds: 1, span: { warmup: 0.05, seconds: 0.2 } };
  const contestants = [accountd];
  const print = () => {};
  const bench = { server, data, contestants, works, options, folder, print };
  const { measured, idle } = await measureOnPostgres(bench);
  expect(Object.keys(idle).toSorted()).toEqual(["accountd"]);
  const done = measured.map(({ contestant, work }) => `${contestant} ${work}`);
  expect(done.toSorted()).toEqual(names.map((name) => `accountd ${name}`).toSorted());
  for (const { work, figures, failure, processor } of measured) {
    expect([work, failure, figures?.failed]).toEqual([work, undefined, {}]);
    expect(figures?.perSecond).toBeGreaterThan(0);
    expect(processor?.contestant).toBeGreaterThan(0);
    expect(processor?.server).toBeGreaterThan(0);
  }
  const slow = measured.find(({ work }) => work === "create-1@flush");
  expect(slow?.figures?.p50).toBeGreaterThan(1);
});
