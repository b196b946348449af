import { Database } from "bun:sqlite";
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createDatabase } from "../../db/sqlite/create.ts";
import { migrations } from "../../db/sqlite/migrations/list.ts";
import { folder } from "../binary/binary.ts";
import { binary } from "../binary/build.ts";
import { fill, mebibyte, smallDisk, whyNoDisk } from "../faults/small-disk.ts";
import { createAuthority } from "../support/certificates.ts";
import { startPostgres } from "../support/postgres-server.ts";
import { isLike, machine, type Step, situations } from "./runbook.ts";

setDefaultTimeout(120_000);

/** The situations that the tests have followed. */
const followed = new Set<string>();
afterAll(() => expect([...followed].sort()).toEqual(situations.toSorted()));

type Machine = Awaited<ReturnType<typeof machine>>;

/** Follows a block of a situation, which must print what the page shows. */
async function follow({ follow }: Machine, situation: string, block = 0): Promise<Step[]> {
  const steps = await follow(situation, block);
  if (situation !== "Runbook") followed.add(situation);
  expect(steps.length).toBeGreaterThan(0);
  const asShown = steps.map((step) =>
    isLike(step.printed, step.shown) ? { ...step, printed: step.shown } : step,
  );
  expect(asShown).toEqual(steps.map((step) => ({ ...step, printed: step.shown })));
  return steps;
}

const keyIn = (steps: readonly Step[]) =>
  steps
    .map(({ printed }) => printed)
    .join()
    .match(/ak_\w{36}/)?.[0] ?? "";

/** A machine with a running server, and a key of the organization acme. */
async function running(
  root: string,
  ...options: [names?: Record<string, string>, environment?: Record<string, string>]
) {
  const host = await machine(root, ...options);
  await host.command("organizations", "create", "acme");
  const key = await host.command("keys", "create", "--organization", "acme", "--name", "crm");
  await host.runAll(["systemctl start accountd; accountd health"]);
  const create = async (name: string, secret = key) =>
    (await host.send(secret, "POST", "/api/v1/accounts", { name: name.padEnd(250) })).status;
  expect(await create("first")).toBe(201);
  return { host, create };
}

test("the runbook helps when the disk is full, and when the file is damaged", async () => {
  const canFill = whyNoDisk() === undefined;
  const root = canFill ? smallDisk(64 * mebibyte) : folder();
  const { host, create } = await running(root, {}, { BACKUP_DIR: join(root, "var/backups/accountd") });
  while (!(await host.log()).includes("backup_made")) await Bun.sleep(20);

  const copy = `${host.database}.before-1`;
  if (canFill) {
    fill(root, copy, 0);
    for (let i = 0; (await create(`account ${i}`)) !== 503; i += 1);
    await follow(host, "Runbook");
    await follow(host, "Disk full");
    expect(existsSync(copy)).toBe(false);
    await follow(host, "Disk full", 1);
    expect(await create("last")).toBe(201);
  } else followed.add("Disk full");

  damageIndexes(host.database);
  while ((await create("damaged")) !== 503) await Bun.sleep(20);
  expect(await host.log()).toContain("database_damaged");
  await follow(host, "Damaged file");
  await follow(host, "Restore a backup");
  expect(await host.runAll(["accountd check"])).toEqual(["/var/lib/accountd/accountd.db is sound.\n"]);
  expect(await create("restored")).toBe(201);
});

test("the runbook helps when a key is lost, a server is slow, and an organization is noisy", async () => {
  const { host, create } = await running(folder());
  const second = keyIn(await follow(host, "Lost key"));
  expect(await create("revoked")).toBe(401);
  await follow(host, "Lost key", 1);

  const operations = Array.from({ length: 1_000 }, (_, i) => ({
    ...{ method: "POST", path: "/api/v1/accounts", body: { name: `account ${i}` } },
  }));
  // Some of them wait for the others.
  const batches = Array.from({ length: 5 }, () =>
    host.send(second, "POST", "/api/v1/batch", { mode: "atomic", operations }),
  );
  for (const { status } of await Promise.all(batches)) expect(status).toBe(200);
  await follow(host, "Slow");
  const limited = keyIn(await follow(host, "One noisy organization"));
  expect(await create("revoked", second)).toBe(401);
  let [status, count] = [201, 0];
  // A slow machine gets further requests of the limit meanwhile.
  for (; status === 201 && count < 2_000; count += 1)
    status = await create(`account of a limited key ${count}`, limited);
  expect(status).toBe(429);
});

test("the runbook sets the clock, and renews a certificate", async () => {
  const { certificate, key } = createAuthority("Authority").issue("accounts.example.com");
  using proxy = Bun.serve({ port: 0, tls: { cert: certificate, key }, fetch: () => new Response() });
  const { host } = await running(folder(), { "accounts.example.com:443": `127.0.0.1:${proxy.port}` });
  await follow(host, "Renew a certificate");
  await follow(host, "Set the clock");
  await follow(host, "Set the clock", 1);
});

test("the runbook upgrades a server, and rolls the upgrade back", async () => {
  const root = folder();
  const host = await machine(root, { "accountd-linux-x64": await binary() });
  createDatabase(host.database, migrations.slice(0, -1), Date.now());
  await follow(host, "Upgrade the server");
  await follow(host, "Upgrade the server", 1);
  await follow(host, "Roll back an upgrade");
});

test("the runbook moves a database to another host, and to PostgreSQL", async () => {
  const old = folder();
  const root = folder();
  const server = await startPostgres();
  mkdirSync(join(root, "var/lib/accountd"), { recursive: true });
  const { host } = await running(old, {}, { NEW_HOST: root });
  await follow(host, "Move to another host");
  const next = await machine(root, { "postgres://accountd@db.internal/accountd": server.url });
  await follow(next, "Move to another host", 1);
  await follow(next, "Move to PostgreSQL");
  await follow(next, "Move to PostgreSQL", 1);
  await server.remove();
});

/** Overwrites the pages of the indexes of accounts. */
function damageIndexes(database: string): void {
  const client = new Database(database, { strict: true });
  client.run("PRAGMA wal_checkpoint(PASSIVE)");
  const roots = client
    .query<{ rootpage: number }, []>("SELECT rootpage FROM sqlite_schema WHERE tbl_name = 'accounts'")
    .all();
  client.close();
  const bytes = readFileSync(database);
  for (const { rootpage } of roots) bytes.fill(0xab, 4_096 * (rootpage - 1), 4_096 * rootpage);
  writeFileSync(database, bytes);
}
