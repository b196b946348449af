import { afterEach, expect, test } from "bun:test";
import { errorCode } from "../../db/errors.ts";
import { organizations } from "../../db/schema.ts";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { select } from "../../db/statements.ts";
import { createOrganization } from "../../src/organizations/store.ts";
import { closeAfterTest, temporaryFile, world } from "../support/world.ts";

const names = select("tests.readerStart.names", {
  fields: { name: organizations.name },
  from: organizations,
  scanned: select("tests.readerStart.scanned", {
    fields: { id: organizations.id },
    from: organizations,
    paged: true,
  }),
});
const path = "/api/v1/accounts?search=a&sortBy=mrr";
const RealWorker = globalThis.Worker;
afterEach(() => {
  globalThis.Worker = RealWorker;
});

/** From now on, the first `count` threads start and the others do not, as when the process has too many. */
function limitThreads(count: number): void {
  let started = 0;
  globalThis.Worker = class extends RealWorker {
    constructor(url: string | URL) {
      started += 1;
      if (started > count) throw new TypeError("Failed to spawn worker thread");
      super(url);
    }
  };
}

/** Every read that may be slow is one. */
async function slowWorld() {
  const here = await world({ maxLocalRows: 0, readWorkers: 3 });
  await here.account({ name: "Acme" });
  return { ...here, readAll: () => Promise.all(Array.from({ length: 6 }, () => here.call("GET", path))) };
}

test("slow reads run on the threads that could be started", async () => {
  const { readAll } = await slowWorld();
  limitThreads(1);
  expect((await readAll()).map(({ status }) => status)).toEqual(Array(6).fill(200));
});

test("without a thread, slow reads get 503 too_busy at once, other requests are answered, and later ones too", async () => {
  const { call, readAll } = await slowWorld();
  limitThreads(0);
  const startedAt = performance.now();
  for (const { status, body, headers } of await readAll())
    expect([status, body.code, headers.get("retry-after")]).toEqual([503, "too_busy", "1"]);
  expect(performance.now() - startedAt).toBeLessThan(2_000);
  expect((await call("POST", "/api/v1/accounts", { name: "Beta" })).status).toBe(201);
  limitThreads(3);
  expect((await readAll()).map(({ status }) => status)).toEqual(Array(6).fill(200));
});

test("a thread that cannot be started is reported once", async () => {
  const errors: unknown[] = [];
  const engine = openDatabase(temporaryFile("accountd.db"), {
    clock: Date.now,
    canCreate: true,
    readWorkers: 1,
    maxLocalRows: 0,
    onReaderFailed: (error) => errors.push(error),
  });
  closeAfterTest(() => engine.close());
  await createOrganization(engine, "Acme");
  const read = () =>
    engine
      .read((snapshot) => snapshot.all(names, { organizationId: 0 }))
      .then(
        () => "read",
        (error: unknown) => errorCode(error),
      );
  limitThreads(0);
  expect([await read(), await read()]).toEqual(["TOO_MANY_READS", "TOO_MANY_READS"]);
  expect(errors).toHaveLength(1);
  limitThreads(1);
  expect(await read()).toBe("read");
  expect(errors).toHaveLength(1);
});
