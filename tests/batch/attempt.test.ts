import { expect, test } from "bun:test";
import { createAccount, deleteAccount } from "../../src/accounts/store.ts";
import { Problem } from "../../src/core/errors.ts";
import type { TenantTransaction } from "../../src/core/tenant/transaction.ts";
import { world } from "../support/world.ts";

class Refused extends Error {}

/** Runs attempts in one write. Resolves with what each returned or threw, and how often the write ran. */
async function attempts(parts: ((tx: TenantTransaction) => Promise<unknown>)[]) {
  const here = await world();
  let runCount = 0;
  const outcomes = await here.tenant().write(async (tx) => {
    runCount += 1;
    const found: unknown[] = [];
    for (const part of parts) {
      try {
        const outcome = await tx.attempt(() => part(tx));
        found.push(outcome instanceof Problem ? outcome.code : outcome);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        found.push("refused");
      }
    }
    return found;
  });
  const names = (await here.rows<{ name: string }>("SELECT name FROM accounts ORDER BY id")).map(
    ({ name }) => name,
  );
  const feed = (await here.call("GET", "/api/v1/changes")).body.data;
  const sequences = feed.map(({ sequence }: { sequence: number }) => sequence);
  expect(await here.faults(0)).toEqual([]);
  return { outcomes, names, sequences, runCount };
}

const create = (name: string) => async (tx: TenantTransaction) =>
  (await createAccount(tx, { name, externalId: name })).name;
const refuse = async () => {
  throw new Refused();
};

test("an attempt that throws after its changes leaves none of them, and the change feed has no gap", async () => {
  const { outcomes, names, sequences, runCount } = await attempts([
    create("a"),
    async (tx) => {
      await create("x")(tx);
      await deleteAccount(tx, "a");
      await refuse();
    },
    create("b"),
    async (tx) => {
      await create("y")(tx);
      await create("b")(tx);
    },
    create("x"),
  ]);
  expect(outcomes).toEqual(["a", "refused", "b", "external_id_conflict", "x"]);
  expect([names, sequences]).toEqual([
    ["a", "b", "x"],
    [1, 2, 3],
  ]);
  // The write ran again with savepoints.
  expect(runCount).toBeGreaterThan(1);
});

test("a statement that fails as the first change of an attempt leaves nothing behind", async () => {
  const { outcomes, names, sequences } = await attempts([create("a"), create("a"), create("b"), create("a")]);
  expect(outcomes).toEqual(["a", "external_id_conflict", "b", "external_id_conflict"]);
  expect([names, sequences]).toEqual([
    ["a", "b"],
    [1, 2],
  ]);
});

test("an error outside of the attempts undoes all of them", async () => {
  const { tenant, rows } = await world();
  const writing = tenant().write(async (tx) => {
    await tx.attempt(() => create("a")(tx));
    await refuse();
  });
  await expect(writing).rejects.toThrow(Refused);
  expect(await rows("SELECT * FROM accounts")).toEqual([]);
});
