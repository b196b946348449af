import { expect, test } from "bun:test";
import { createAccount } from "../../src/accounts/store.ts";
import { createJobs } from "../../src/jobs/jobs.ts";
import { runDueJobs } from "../../src/jobs/scheduler.ts";
import { reactions } from "../../src/reactions.ts";
import { changeWorld, day, path } from "./change-world.ts";

/** A change world with a function that runs the jobs with another retention of changes. */
async function retentionWorld() {
  const here = await changeWorld();
  return {
    ...here,
    create: (name: string) => here.send("POST", "/api/v1/accounts", { name }),
    runJobs: (changeDays?: number) => {
      const { engine } = here;
      const jobs =
        changeDays === undefined ? here.jobs : createJobs({ engine, reactions, eventDays: 35, changeDays });
      return runDueJobs({ engine, jobs });
    },
    /** The sequence numbers of the whole feed. */
    async kept(options?: Parameters<typeof here.feed>[1]): Promise<number[]> {
      const { data } = await here.feed("", options);
      return data.map(({ sequence }: { sequence: number }) => sequence);
    },
  };
}

test.each([
  [400, undefined],
  [30, 30],
  [1, 1],
])("changes are kept for %d days and deleted after them", async (days, changeDays) => {
  const { create, kept, pass, runJobs } = await retentionWorld();
  await create("A");
  pass(1);
  await create("B");
  pass(day / 2);
  await create("C");
  pass(days * day - day / 2 - 1);
  await runJobs(changeDays);
  expect(await kept()).toEqual([1, 2, 3]);
  pass(1);
  await runJobs(changeDays);
  expect(await kept()).toEqual([2, 3]);
  pass(1);
  await runJobs(changeDays);
  expect(await kept()).toEqual([3]);
});

test("the newest change is kept, so that the sequence continues after it", async () => {
  const { create, feed, kept, pass, runJobs } = await retentionWorld();
  for (const name of ["A", "B", "C"]) await create(name);
  pass(4_000 * day);
  await runJobs();
  expect(await kept()).toEqual([3]);
  await create("D");
  expect(await kept()).toEqual([3, 4]);
  await runJobs();
  expect(await kept()).toEqual([4]);
  // A client that read the first change sees that others were deleted: the next sequence number is not 2.
  expect((await feed("?after=1")).data).toMatchObject([{ sequence: 4 }]);
  expect((await feed("?after=1")).pagination).toEqual({ limit: 1_000, hasNextPage: false, nextAfter: 4 });
});

test("more than one step of changes is deleted in one round, in every organization", async () => {
  const { tenant, second, rows, kept, pass, runJobs } = await retentionWorld();
  for (const owner of [undefined, second.id])
    await tenant(owner).write(async (tx) => {
      for (let index = 0; index < 1_000; index += 1) await createAccount(tx, { name: "A" });
    });
  pass(400 * day + 1);
  await runJobs();
  const stored = await rows("SELECT organization_id, sequence FROM changes ORDER BY 1");
  expect(stored).toEqual([
    { organization_id: 1, sequence: 1_000 },
    { organization_id: 2, sequence: 1_000 },
  ]);
  expect(await kept()).toEqual([1_000]);
  expect(await kept({ key: second.key })).toEqual([1_000]);
});

test("changes that are recorded while old ones are deleted are all kept", async () => {
  const { call, create, tenant, kept, pass, runJobs } = await retentionWorld();
  await tenant().write(async (tx) => {
    for (let index = 0; index < 1_000; index += 1) await createAccount(tx, { name: "A" });
  });
  pass(400 * day + 1);
  const deleting = runJobs();
  await Promise.all(Array.from({ length: 40 }, (_, index) => create(`New ${index}`)));
  await deleting;
  await runJobs();
  expect(await kept()).toEqual(Array.from({ length: 40 }, (_, index) => 1_001 + index));
  expect((await call("GET", `${path}?after=1040`)).body.data).toEqual([]);
});

test("a jump of the clock deletes no changes in its first 24 hours", async () => {
  const { create, kept, pass, jump, runJobs } = await retentionWorld();
  for (const name of ["A", "B"]) await create(name);
  jump(500 * day);
  await runJobs();
  pass(day - 1);
  await runJobs();
  expect(await kept()).toEqual([1, 2]);
  pass(1);
  await runJobs();
  expect(await kept()).toEqual([2]);
});

test("a change of a time when the clock was ahead does not stop the deletion of later ones", async () => {
  const { create, kept, pass, jump, runJobs } = await retentionWorld();
  pass(4_000 * day);
  await create("Ahead");
  jump(-4_000 * day);
  for (const name of ["B", "C"]) await create(name);
  pass(300 * day);
  await create("D");
  pass(101 * day);
  await runJobs();
  expect(await kept()).toEqual([4]);
});

test("a change is kept that is newer than an expired one after it, because the clock was behind", async () => {
  const { create, execute, kept, pass, runJobs } = await retentionWorld();
  for (const name of ["A", "B", "C", "D"]) await create(name);
  pass(300 * day);
  await execute(`UPDATE changes SET changed_at = changed_at - ${200 * day} WHERE sequence IN (1, 3)`);
  await runJobs();
  expect(await kept()).toEqual([2, 3, 4]);
});
