import { expect, test } from "bun:test";
import type { Engine, Snapshot } from "../../db/engine.ts";
import { email, erasureWorld, marker } from "./erasure-world.ts";

/** The characters of texts in the rows of each statement that the engine reads from now on. */
function recordReads(engine: Engine): number[] {
  const sizes: number[] = [];
  const read = engine.read.bind(engine);
  engine.read = (fn, options) =>
    read((snapshot) => {
      const recorded: Snapshot = {
        now: snapshot.now,
        first: (statement, values) => snapshot.first(statement, values),
        all: async (statement, values) => {
          const rows = await snapshot.all(statement, values);
          sizes.push(JSON.stringify(rows).length);
          return rows;
        },
      };
      return fn(recorded);
    }, options);
  return sizes;
}

test("an erasure reads changes and stored replies with large attributes half a megabyte at a time", async () => {
  const here = await erasureWorld();
  const attributes = Object.fromEntries(
    Array.from({ length: 30 }, (_, i) => [`text${i}`, `${marker} ${"é".repeat(480)}`]),
  );
  const contactCount = 100;
  for (let i = 0; i < contactCount; i += 1)
    await here.send(
      "POST",
      "/api/v1/accounts/1/contacts",
      { name: marker, email: `${i}.${email}`, attributes },
      { "idempotency-key": `create-${i}` },
    );
  await here.send("PATCH", "/api/v1/contacts/7", { email });
  const sizes = recordReads(here.engine);
  const { body } = await here.erase({ email });
  expect(body.data).toMatchObject({ contacts: 1, changes: 3, idempotentReplies: 1 });
  // The texts have more bytes than characters.
  expect(Math.max(...sizes)).toBeWithin(150_000, 550_000);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeGreaterThan(2 * contactCount * 15_000);
});
