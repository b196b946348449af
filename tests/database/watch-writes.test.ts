import { expect, test } from "bun:test";
import { world } from "../support/world.ts";

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
