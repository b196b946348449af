import { afterEach, expect, test } from "bun:test";
import { errorCode, NoReader } from "../../db/errors.ts";
import { organizations } from "../../db/schema.ts";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { select } from "../../db/statements.ts";
import { createOrganization } from "../../src/organizations/store.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { temporaryFile, world } from "../support/world.ts";

const names = select("tests.readerStart.names", {
  fields: { name: organizations.name },
  from: organizations,
});
const path = "/api/v1/accounts?search=a&sortBy=mrr";
const { spawn } = Bun;
afterEach(() => {
  Bun.spawn = spawn;
});

/** From now on, the first `count` processes start and the others do not, as when there are too many. */
function limitProcesses(count: number): void {
  let started = 0;
  Bun.spawn = ((...parameters: Parameters<typeof spawn>) => {
    started += 1;
    if (started > count) throw Object.assign(new Error("EAGAIN: posix_spawn"), { code: "EAGAIN" });
    return spawn(...parameters);
  }) as typeof spawn;
}

async function slowWorld() {
  const here = await world({ readWorkers: 3 });
  await here.account({ name: "Acme" });
  return { ...here, readAll: () => Promise.all(Array.from({ length: 6 }, () => here.call("GET", path))) };
}

test("slow reads run in the processes that could be started", async () => {
  const { readAll } = await slowWorld();
  limitProcesses(1);
  expect((await readAll()).map(({ status }) => status)).toEqual(Array(6).fill(200));
});

test("without a process, slow reads get 503 too_busy at once, other requests are answered, and later ones too", async () => {
  const { call, readAll } = await slowWorld();
  limitProcesses(0);
  const startedAt = performance.now();
  for (const { status, body, headers } of await readAll())
    expect([status, body.code, headers.get("retry-after")]).toEqual([503, "too_busy", "1"]);
  expect(performance.now() - startedAt).toBeLessThan(2_000);
  expect((await call("POST", "/api/v1/accounts", { name: "Beta" })).status).toBe(201);
  limitProcesses(3);
  expect((await readAll()).map(({ status }) => status)).toEqual(Array(6).fill(200));
});

test("a process that cannot be started is reported once", async () => {
  const errors: unknown[] = [];
  const engine = openDatabase(temporaryFile("accountd.db"), {
    clock: Date.now,
    canCreate: true,
    readWorkers: 1,
    onReaderFailed: (error) => errors.push(error),
  });
  closeAfterTest(() => engine.close());
  await createOrganization(engine, "Acme");
  const read = () =>
    engine
      .read((snapshot) => snapshot.all(names, {}), { place: "reader" })
      .then(
        () => "read",
        (error: unknown) => [errorCode(error), error instanceof NoReader],
      );
  limitProcesses(0);
  expect([await read(), await read()]).toEqual(Array(2).fill(["TOO_MANY_READS", true]));
  expect(errors).toHaveLength(1);
  limitProcesses(1);
  expect(await read()).toBe("read");
  expect(errors).toHaveLength(1);
});
