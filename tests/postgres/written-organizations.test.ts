import { expect, test } from "bun:test";
import { Hosts } from "../../db/postgres/connections/hosts.ts";
import { Session } from "../../db/postgres/connections/session.ts";
import { WrittenOrganizations } from "../../db/postgres/watching/written-organizations.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { connection, engineOn, migratedDatabase } from "./database.ts";

function writtenIn(url: string): WrittenOrganizations {
  const session = new Session({ hosts: new Hosts(url) });
  closeAfterTest(async () => session.discard());
  return new WrittenOrganizations(session);
}

test("a copy finds the organizations that any copy has written to, and idle copies write nothing", async () => {
  const url = await migratedDatabase();
  const [writer, reader] = [await engineOn(url), await engineOn(url)];
  const [written, ofOther] = [writtenIn(url), writtenIn(url)];
  expect(await written.take()).toEqual([]);
  await Promise.all([1, 2, 1].map((id) => writer.write(id, async () => {})));
  expect((await written.take()).toSorted()).toEqual([1, 2]);
  await writer.leaseJobs();
  // While a transaction of another database of the server is older than a write, it is found again.
  const end = performance.now() + 20_000;
  while ((await written.take()).length > 0 && performance.now() < end) await Bun.sleep(50);
  expect(await written.take()).toEqual([]);
  const sql = connection(url);
  const lastTransactions = () => sql`select cast(xmin as text), cast(xmax as text) from leases`;
  const before = await lastTransactions();
  expect(before).toHaveLength(1);
  for (let second = 0; second < 3; second += 1)
    for (const [engine, taken] of [
      [writer, written],
      [reader, ofOther],
    ] as const) {
      await engine.leaseJobs();
      await taken.take();
    }
  expect([...(await lastTransactions())]).toEqual([...before]);
});

test("a write that was not committed when the organizations were read is found later", async () => {
  const url = await migratedDatabase();
  const [writer, written] = [await engineOn(url), writtenIn(url)];
  await written.take();
  const inWrite = Promise.withResolvers<void>();
  const canEnd = Promise.withResolvers<void>();
  const write = writer.write(1, async (tx) => {
    await tx.nextSequence(1);
    inWrite.resolve();
    await canEnd.promise;
  });
  await inWrite.promise;
  await writer.write(2, async () => {});
  expect(await written.take()).toContain(2);
  canEnd.resolve();
  await write;
  expect(await written.take()).toContain(1);
});
