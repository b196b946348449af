import { expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { sendRequest } from "../binary/service.ts";
import { codeBlocks, sectionOf } from "../documents/documents.ts";
import { killServer } from "../faults/postgres-crash.ts";
import { preparePostgres } from "../faults/postgres-ground.ts";
import { startPooler } from "../faults/postgres-pooler.ts";
import { bash, main } from "../support/bash.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { startPair } from "../support/postgres-standby.ts";

setDefaultTimeout(60_000);

const maxRecoveryMilliseconds = 5_000;

test("behind PgBouncer, writes succeed after a promotion, the new host in its configuration, and the documented command", async () => {
  const pair = await startPair();
  closeAfterTest(() => pair.remove());
  const { primary, standby } = pair;
  const ground = await preparePostgres([process.execPath, main], primary);
  const { urls, port, file } = await startPooler([ground.urlOf(0)]);
  const { url } = await ground.serve(0, urls[0], { DATABASE_PREPARE: "false" });
  const [key = ""] = ground.keys;
  const create = (name: string) => sendRequest(url, key, "POST", "/api/v1/accounts", { name });
  expect((await create("Before")).status).toBe(201);
  await killServer(primary);
  await pair.promote();
  writeFileSync(file, readFileSync(file, "utf8").replace(`port=${primary.port}`, `port=${standby.port}`));
  const [command = ""] = codeBlocks(sectionOf("docs/operations.md", "### Several hosts"), "sh");
  await bash(command.replace("pgbouncer.internal", "127.0.0.1").replace("6432", String(port)), {});
  const startedAt = performance.now();
  while ((await create("After")).status !== 201 && performance.now() - startedAt < maxRecoveryMilliseconds)
    await Bun.sleep(100);
  const { body } = await sendRequest(url, key, "GET", "/api/v1/accounts");
  expect(body.data.map(({ name }: { name: string }) => name)).toEqual(["After", "Before"]);
});
