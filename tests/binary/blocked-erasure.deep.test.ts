import { expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { closeAfterTest } from "../support/cleanup.ts";
import { folder, output, run, start } from "./binary.ts";
import { logOf, sendRequest, service } from "./service.ts";

setDefaultTimeout(60_000);

const marker = "kanarienvogel-4711";
const path = "/api/v1/accounts";

/** A process that keeps one read of the database open, as a replication program does. Returns a function that ends it. */
async function holdRead(database: string): Promise<() => Promise<unknown>> {
  const script = `
    import { Database } from "bun:sqlite";
    globalThis.client = new Database(${JSON.stringify(database)});
    client.run("BEGIN");
    client.query("SELECT * FROM sqlite_schema").get();
    console.log("reading");
    setInterval(() => {}, 1000);`;
  const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe", stderr: "ignore" });
  const end = () => {
    child.kill("SIGKILL");
    return child.exited;
  };
  closeAfterTest(end);
  await child.stdout.getReader().read();
  return end;
}

/** How often the marker is in the file and its WAL. */
function countMarkers(database: string): number {
  return [database, `${database}-wal`]
    .map((file) => readFileSync(file, "latin1").split(marker).length - 1)
    .reduce((sum, count) => sum + count, 0);
}

async function until(isDone: () => boolean | Promise<boolean>, milliseconds: number): Promise<boolean> {
  const deadline = performance.now() + milliseconds;
  while (performance.now() < deadline) {
    if (await isDone()) return true;
    await Bun.sleep(50);
  }
  return false;
}

/** Contacts with a long name, whose rows SQLite moves to other pages. */
async function storeContacts(send: Awaited<ReturnType<typeof service>>["send"], count: number) {
  const account = await send("POST", path, { name: "Acme" });
  for (let i = 0; i < count; i += 1)
    await send("POST", `${path}/${account.body.data.id}/contacts`, {
      name: `${marker} ${"x".repeat(200)}`,
      email: `${i}@${marker}.example`,
    });
}

test.concurrent("An erasure replies within 5 s while another program keeps a read open, and a job completes it", async () => {
  const { cwd, database, key, send, server, url } = await service();
  await storeContacts(send, 5);
  const admin = await output(["keys", "create", "--organization", "Acme", "--scope", "admin"], { cwd });
  const endRead = await holdRead(database);
  const erase = async (i: number) => {
    const startedAt = performance.now();
    const { status, body } = await sendRequest(url, admin, "POST", "/api/v1/erasures", {
      email: `${i}@${marker}.example`,
    });
    return { status, data: body.data, isFast: performance.now() - startedAt < 5_000 };
  };
  const replies = await Promise.all([0, 1, 2, 3, 4].map(erase));
  expect(replies).toEqual(
    Array(5).fill({
      status: 200,
      isFast: true,
      data: expect.objectContaining({ contacts: 1, filePending: true }),
    }),
  );
  expect((await sendRequest(url, key, "GET", "/api/v1/contacts")).body.data).toEqual([]);
  expect(countMarkers(database)).toBeGreaterThan(0);
  const report = JSON.parse(await output(["check", "--json"], { cwd }));
  expect(report).toEqual({
    database: "data/accountd.db",
    status: "ok",
    pending: [{ organizationId: 1, kind: "erasure", since: expect.any(String) }],
  });
  expect(await output(["check"], { cwd })).toMatch(
    /is sound\.\nPending since \S+: the erasure of what erased rows of organization 1 left in the file\.$/,
  );
  await Bun.sleep(1_500);
  const logged = logOf(server).filter(({ event }) => event === "erasure_pending");
  expect(logged).toEqual([expect.objectContaining({ organizationId: 1, detail: expect.any(String) })]);
  await endRead();
  expect(await until(() => countMarkers(database) === 0, 5_000)).toBe(true);
  expect(await until(async () => (await output(["check"], { cwd })).endsWith("is sound."), 5_000)).toBe(true);
  await storeContacts(send, 1);
  const last = await erase(0);
  expect(last.data).toEqual({ ...last.data, contacts: 1 });
  expect(last.data).not.toHaveProperty("filePending");
});

test.concurrent("A postponed erasure is completed by the next server", async () => {
  const { cwd, database, send, server, url } = await service();
  await storeContacts(send, 2);
  const admin = await output(["keys", "create", "--organization", "Acme", "--scope", "admin"], { cwd });
  const endRead = await holdRead(database);
  const { body } = await sendRequest(url, admin, "POST", "/api/v1/erasures", {
    email: `0@${marker}.example`,
  });
  expect(body.data.filePending).toBe(true);
  await sendRequest(url, admin, "POST", "/api/v1/erasures", { email: `1@${marker}.example` });
  server.kill("SIGKILL");
  await until(() => !server.isRunning(), 5_000);
  await endRead();
  expect(countMarkers(database)).toBeGreaterThan(0);
  const next = await start(["serve", "--port", "0"], { cwd });
  expect(await until(() => countMarkers(database) === 0, 5_000)).toBe(true);
  // The erasure is stored as complete after its last page is erased.
  expect(await until(async () => (await output(["check"], { cwd })).endsWith("is sound."), 5_000)).toBe(true);
  expect(await next.stop()).toBe(0);
});

test.concurrent.each([true, false])(
  "organizations delete ends within 5 s while another program keeps a read open; with a server: %p",
  async (hasServer) => {
    const { cwd, database, send, server } = await service();
    await storeContacts(send, 2);
    if (!hasServer) await server.stop();
    const endRead = await holdRead(database);
    const startedAt = performance.now();
    const { code, stdout } = await run(["organizations", "delete", "Acme", "--yes"], { cwd });
    expect(performance.now() - startedAt).toBeLessThan(6_000);
    expect([code, stdout]).toEqual([
      0,
      "Organization 1, Acme, is deleted. Another program reads the file: the server erases what the rows left in it later, now or after its next start.\n",
    ]);
    expect(await output(["organizations", "list", "--json"], { cwd })).toBe("[]");
    expect(await output(["check"], { cwd })).toContain("the deletion of organization 1");
    await endRead();
    if (!hasServer) await start(["serve", "--port", "0"], { cwd });
    expect(await until(() => countMarkers(database) === 0, 5_000)).toBe(true);
    expect(await until(async () => (await output(["check"], { cwd })).endsWith("is sound."), 5_000)).toBe(
      true,
    );
  },
);

test.concurrent("organizations delete --json says that the file is pending only then", async () => {
  const cwd = folder();
  await output(["organizations", "create", "Acme"], { cwd });
  await output(["organizations", "create", "Beta"], { cwd });
  const free = JSON.parse(await output(["organizations", "delete", "Acme", "--yes", "--json"], { cwd }));
  expect(free).not.toHaveProperty("filePending");
  await holdRead(join(cwd, "data/accountd.db"));
  const held = JSON.parse(await output(["organizations", "delete", "Beta", "--yes", "--json"], { cwd }));
  expect(held).toMatchObject({ name: "Beta", filePending: true });
});
