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

test("each watcher is called after a commit with its organization, until it ends", async () => {
  const { engine } = await world();
  const reported: string[] = [];
  const [end, endOther] = ["a", "b"].map((name) =>
    engine.watchWrites((ids) => reported.push(...ids.map((id) => `${name}${id}`))),
  );
  await engine.write(3, async () => {});
  const failed = engine.write(5, async () => {
    throw new Error("a failing write");
  });
  await expect(failed).rejects.toThrow("a failing write");
  end?.();
  await engine.write(4, async () => {});
  endOther?.();
  await engine.write(6, async () => {});
  // A commit may be reported twice.
  expect([...new Set(reported)]).toEqual(["a3", "b3", "b4"]);
});
