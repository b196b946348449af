import { expect, test } from "bun:test";
import { EngineBusy, EngineStopping, ReadOnlyDatabase } from "../../db/errors.ts";
import { describeError } from "../../src/core/settings/operator-error.ts";
import { operatorOf } from "../support/operator.ts";
import { organizationWorld } from "./organization-world.ts";

/** The organization's deletion on an engine whose writes after the first throw `failures` before they run. */
async function deleteWith(failures: Error[]) {
  const here = await organizationWorld();
  const { engine, one } = here;
  let isFirst = true;
  const failing: typeof engine = {
    ...engine,
    write: (...parameters: Parameters<typeof engine.write>) => {
      const failure = isFirst ? undefined : failures.shift();
      isFirst = false;
      return failure ? Promise.reject(failure) : engine.write(...parameters);
    },
  } as typeof engine;
  const { request } = operatorOf(failing);
  const result = await request("/operator/organization", { method: "DELETE", organization: one.name }).catch(
    (error: unknown) => error,
  );
  const rowCount = Object.values(here.rowsOf(one.id)).reduce((sum, count) => sum + count, 0);
  return { result, rowCount };
}

test("a deletion goes on when its next step does not fit into the write queue", async () => {
  const failures = Array.from({ length: 3 }, () => new EngineBusy("Too many writes are waiting."));
  const { result, rowCount } = await deleteWith(failures);
  expect(result).toMatchObject({ name: expect.stringContaining("Organization") });
  expect([rowCount, failures]).toEqual([0, []]);
});

test.each([
  ["the service stops", "database_busy", new EngineStopping()],
  [
    "another program has the lock",
    "database_busy",
    Object.assign(new Error("locked"), { code: "SQLITE_BUSY" }),
  ],
  ["the disk is full", "database_failed", Object.assign(new Error("full"), { code: "SQLITE_FULL" })],
])(
  "a deletion that is interrupted because %s reports that the server completes it",
  async (_, code, failure) => {
    const { result, rowCount } = await deleteWith([failure]);
    expect(rowCount).toBeGreaterThan(0);
    expect(result).toEqual({
      code,
      message:
        "The deletion has begun but is not complete. The server completes it, now or after its next start.",
    });
  },
);

test("a read-only database is no reason to try again, and each sentence has its full stop", () => {
  expect(describeError(new ReadOnlyDatabase("It accepts no writes."))).toEqual({
    code: "database_unusable",
    message: "It accepts no writes. Nothing was changed.",
  });
  expect(describeError(new EngineBusy("The server ends the connection")).message).toBe(
    "The server ends the connection. Nothing was changed: try again.",
  );
});

test.each([new EngineBusy("Too many writes are waiting."), new EngineStopping()])(
  "a change that was not started is not reported as a lock of another program: %p",
  (error) => {
    expect(describeError(error)).toEqual({
      code: "database_busy",
      message: `${error.message} Nothing was changed: try again.`,
    });
  },
);
