import { expect, setDefaultTimeout, test } from "bun:test";
import { unlinkSync } from "node:fs";
import { join } from "node:path";
import { fill, smallDisk, whyNoDisk } from "../faults/small-disk.ts";
import { folder, output, type Running, run, start } from "./binary.ts";
import { logOf, sendRequest } from "./service.ts";

setDefaultTimeout(60_000);

/** A server with metrics for the database of a folder. `send` creates an account; `value` is of one metric. */
async function serve(cwd: string, ...options: string[]) {
  const database = join(cwd, "accountd.db");
  await output(["organizations", "create", "Acme", "--database", database]);
  const key = await output(["keys", "create", "--organization", "Acme", "--database", database]);
  const metrics = ["--metrics", "127.0.0.1:0"];
  const server: Running = await start([
    "serve",
    "--port",
    "0",
    "--database",
    database,
    ...metrics,
    ...options,
  ]);
  const { metrics: address } = logOf(server).find(({ event }) => event === "started");
  const create = (name: string) => sendRequest(server.url, key, "POST", "/api/v1/accounts", { name });
  const value = async (name: string) => {
    const text = await (await fetch(address)).text();
    return Number(
      text
        .split("\n")
        .find((line) => line.startsWith(`${name} `))
        ?.split(" ")
        .at(-1),
    );
  };
  return { server, key, address, create, value };
}

test("the program serves its metrics, with the commits of writes", async () => {
  const { server, address, create, value } = await serve(folder(), "--backup-dir", folder());
  const before = await value("accountd_batch_size_sum");
  for (const name of ["a", "b", "c"]) expect((await create(name)).status).toBe(201);
  expect(await value("accountd_batch_size_sum")).toBeGreaterThanOrEqual(before + 3);
  expect(await value("accountd_commit_seconds_count")).toBeGreaterThanOrEqual(3);
  const route = 'route="/api/v1/accounts",method="POST",status="201"';
  expect(await value(`http_request_duration_seconds_count{${route}}`)).toBe(3);
  while ((await value("accountd_event_loop_delay_seconds_count")) === 0) await Bun.sleep(50);
  while (Number.isNaN(await value("accountd_backup_age_seconds"))) await Bun.sleep(50);
  expect(await value("accountd_backup_age_seconds")).toBeLessThan(60);
  expect(await value("accountd_backup_failures_total")).toBe(0);
  expect((await fetch(`${server.url}/metrics`)).status).toBe(404);
  const { host } = new URL(address);
  const used = await run(["serve", "--port", "0", "--metrics", host], { cwd: folder() });
  expect([used.code, used.stderr.trim().split("\n").at(-1)]).toEqual([
    1,
    `${host} is in use. Name another port with --metrics.`,
  ]);
});

test.skipIf(whyNoDisk() !== undefined)(
  "while the disk is full, reads work, and the server, its metrics and its log say why writes fail",
  async () => {
    const disk = smallDisk(8_388_608);
    const { server, key, create, value } = await serve(disk);
    const state = (name: string) => value(`accountd_store_state{state="${name}"}`);
    const readyz = async () => (await sendRequest(server.url, key, "GET", "/readyz")).body;
    expect([await state("ok"), await readyz()]).toEqual([1, { data: { status: "ok" } }]);
    const ballast = join(disk, "ballast");
    fill(disk, ballast, 0);
    let failedCount = 0;
    for (let i = 0; failedCount < 3; i += 1) {
      const { status, body } = await create(`account ${i}`);
      if (status === 503) failedCount += 1;
      expect(status === 503 ? body.code : status).toBe(status === 503 ? "store_failed" : 201);
    }
    expect(await readyz()).toEqual({ data: { status: "ok", store: "full" } });
    expect([await state("ok"), await state("full"), await state("failing")]).toEqual([0, 1, 0]);
    expect((await sendRequest(server.url, key, "GET", "/api/v1/accounts")).status).toBe(200);
    // A write that is tried fails, too.
    await Bun.sleep(6_000);
    expect(await state("full")).toBe(1);
    unlinkSync(ballast);
    // No request writes: the server tries it.
    while ((await state("ok")) !== 1) await Bun.sleep(100);
    expect(await readyz()).toEqual({ data: { status: "ok" } });
    expect((await create("after")).status).toBe(201);
    const events = logOf(server).filter(({ event }) => /^writes_|^request_failed/.test(event));
    expect(events.map(({ event, level, state: found }) => [event, level, found])).toEqual([
      ["writes_failing", "error", "full"],
      ["writes_working", "info", undefined],
    ]);
  },
);
