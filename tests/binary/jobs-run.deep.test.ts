import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { folder, output, run } from "./binary.ts";
import { isOneLine, service } from "./service.ts";

setDefaultTimeout(60_000);

test("jobs run deletes what is too old in the running server before it returns", async () => {
  const { cwd, database, send } = await service();
  await send("POST", "/api/v1/accounts", { name: "Acme", externalId: "a" });
  for (const messageId of ["m1", "m2"])
    await send("POST", "/api/v1/events", { events: [{ event: "login", externalId: "a", messageId }] });
  const client = new Database(database);
  client.run("UPDATE events SET received_at = received_at - 36 * 86400000 WHERE message_id = 'm1'");
  const before = Date.now();
  const { retentionTime } = JSON.parse(await output(["jobs", "run", "--json"], { cwd }));
  expect(Date.parse(retentionTime)).toBeGreaterThanOrEqual(before);
  expect(client.query("SELECT message_id FROM events").values()).toEqual([["m2"]]);
  client.close();
  expect(await output(["jobs", "run", "--now"], { cwd })).toStartWith("The due jobs have run.");
});

test("jobs run without a server fails with one line and opens no database", async () => {
  const cwd = folder();
  const { code, stdout, stderr } = await run(["jobs", "run"], { cwd });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(isOneLine(stderr), stderr).toBe(true);
  expect(stderr).toBe("No server of data/accountd.db is running. Start it first.\n");
});
