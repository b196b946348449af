import { expect, test } from "bun:test";
import { world } from "../support/world.ts";

test("an engine reports each organization that a write has changed once, and none of a write that failed", async () => {
  const { engine } = await world();
  await engine.takeWritten();
  await Promise.all([3, 4, 3].map((id) => engine.write(id, async () => {})));
  const failed = engine.write(5, async () => {
    throw new Error("a failing write");
  });
  await expect(failed).rejects.toThrow("a failing write");
  expect((await engine.takeWritten()).toSorted()).toEqual([3, 4]);
  expect(await engine.takeWritten()).toEqual([]);
});
