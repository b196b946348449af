import { expect, test } from "bun:test";
import { email, erasureWorld, marker, nothing, userId } from "./erasure-world.ts";

/** The transactions of an erasure, each of which is interrupted in turn. */
const interruptions = [0, 1, 2, 3, 4, 5, 6, 7];

test.each(interruptions)(
  "an erasure that fails after %i transactions is completed by a repeated one",
  async (count) => {
    const here = await erasureWorld();
    for (let i = 1; i <= 2; i += 1)
      await here.storeContact(i, { address: i === 1 ? email : `${marker}@y.io` });
    // So many changes that they are erased in two transactions.
    for (let i = 0; i < 110; i += 1)
      await here.send("PATCH", "/api/v1/contacts/1", { name: `${marker} ${i}` });
    await here.storeEvents();
    const { engine } = here;
    const write = engine.write.bind(engine);
    let written = 0;
    engine.write = (organizationId, run, options) => {
      if (options?.isBulk && written++ === count) throw new Error("interrupted");
      return write(organizationId, run, options);
    };
    const interrupted = await here.erase({ email, userId });
    engine.write = write;
    // An erasure of fewer transactions is complete.
    expect(interrupted.status).toBe(count < written ? 500 : 200);
    await here.erase({ email, userId });
    await here.erase({ email: `${marker}@y.io` });
    expect((await here.content()).toLowerCase()).not.toContain(marker);
    expect((await here.erase({ email, userId })).body.data).toEqual(nothing);
  },
);
