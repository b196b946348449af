import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { main } from "../support/bash.ts";
import { output, type Running, run, start } from "./binary.ts";
import { logOf, service } from "./service.ts";

setDefaultTimeout(60_000);

/** The program in a process whose clock is 40 days ahead. */
const ahead = [process.execPath, "--preload", join(import.meta.dir, "../postgres/clock-ahead.ts"), main];

/** A database that is not served, with an event of now. */
async function databaseWithEvent() {
  const { cwd, database, send, server } = await service();
  await send("POST", "/api/v1/accounts", { name: "Acme", externalId: "a" });
  expect((await send("POST", "/api/v1/events", { event: "login", externalId: "a" })).status).toBe(200);
  await server.stop();
  return {
    cwd,
    serve: (program?: string[]) => start(["serve", "--port", "0"], { cwd, ...(program && { program }) }),
    countEvents(): number {
      const client = new Database(database, { readonly: true });
      const [row] = client.query("SELECT count(*) FROM events").values();
      client.close();
      return Number(row?.[0]);
    },
  };
}

const clockLines = (server: Running) => logOf(server).filter(({ event }) => event === "clock_ahead");

test.concurrent("A clock that is over 30 days ahead of the stored times at a start deletes nothing, also after restarts", async () => {
  const { cwd, countEvents, serve } = await databaseWithEvent();
  for (let i = 0; i < 2; i += 1) {
    const server = await serve(ahead);
    // Its times are those of the wrong clock.
    await output(["organizations", "create", `Later ${i}`], { cwd, program: ahead });
    await Bun.sleep(2_500);
    expect(countEvents()).toBe(1);
    expect(clockLines(server)).toEqual([
      {
        time: expect.any(String),
        level: "error",
        event: "clock_ahead",
        clock: expect.any(String),
        newestTime: expect.any(String),
        detail: expect.stringContaining("Retention waits for 24 hours."),
      },
    ]);
    await server.stop();
  }
  const right = await serve();
  await Bun.sleep(1_500);
  expect(clockLines(right)).toEqual([]);
  expect(countEvents()).toBe(1);
});

test.concurrent("jobs run retention deletes at once what the clock says is old, and the next start trusts the clock", async () => {
  const { cwd, countEvents, serve } = await databaseWithEvent();
  const server = await serve(ahead);
  expect(await output(["jobs", "run"], { cwd })).toStartWith("The due jobs have run.");
  expect(countEvents()).toBe(1);
  expect(await output(["jobs", "run", "retention"], { cwd })).toStartWith("The due jobs have run.");
  expect(countEvents()).toBe(0);
  await output(["organizations", "create", "Later"], { cwd, program: ahead });
  await server.stop();
  const next = await serve(ahead);
  await next.stop();
  expect(clockLines(next)).toEqual([]);
});

test.concurrent("jobs run knows no other job", async () => {
  const { code, stderr } = await run(["jobs", "run", "scores"]);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining("The only job that can be named is retention."),
  ]);
});
