import { expect, test } from "bun:test";
import { someOf } from "../support/seeds.ts";
import { beginning } from "../support/world.ts";
import { email, erasureWorld, marker, nothing, userId } from "./erasure-world.ts";

const firstDay = Math.floor(beginning / 86_400_000) - 1;
/** The transactions of an erasure, each of which is interrupted in turn. */
const interruptions = someOf([0, 1, 2, 3, 4, 5, 6, 7], 3);

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
    const endFailure = here.interruptAfter(count);
    const interrupted = await here.erase({ email, userId });
    // An erasure of fewer transactions is complete.
    expect(interrupted.status).toBe(endFailure() ? 500 : 200);
    await here.erase({ email, userId });
    await here.erase({ email: `${marker}@y.io` });
    expect((await here.content()).toLowerCase()).not.toContain(marker);
    expect((await here.erase({ email, userId })).body.data).toEqual(nothing);
  },
);

test.each(interruptions)(
  "a user of several accounts counts once, also after an erasure that fails after %i transactions",
  async (count) => {
    const here = await erasureWorld();
    const accountCount = 150;
    const accounts = Array.from({ length: accountCount }, (_, i) => ({
      externalId: `a${i}`,
      name: `A ${i}`,
    }));
    await here.send("POST", "/api/v1/accounts/batch", { accounts });
    const timestamp = "2026-01-01T10:00:00Z";
    // In every second account, the person is not the first user of the day.
    const events = accounts.flatMap(({ externalId }, i) =>
      (i % 2 ? [userId, "other"] : ["other", userId]).flatMap((user) =>
        ["login", "export"].map((event) => ({ event, externalId, timestamp, userId: user })),
      ),
    );
    await here.send("POST", "/api/v1/events", { events });
    const usage = await here.send("GET", "/api/v1/usage");
    expect(usage).toMatchObject([
      { event: "export", count: 2 * accountCount, users: 2, accounts: accountCount },
      { event: "login", count: 2 * accountCount, users: 2, accounts: accountCount },
    ]);
    const endFailure = here.interruptAfter(count);
    await here.erase({ userId });
    endFailure();
    expect(await here.send("GET", "/api/v1/usage")).toEqual(usage);
    await here.erase({ userId });
    expect(await here.send("GET", "/api/v1/usage")).toEqual(usage);
    expect(await here.content()).not.toContain(marker);
    expect(await here.faults(firstDay)).toEqual([]);
  },
);
