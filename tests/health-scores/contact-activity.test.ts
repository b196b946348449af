import { expect, test } from "bun:test";
import { day, healthWorld, hour } from "./health-world.ts";

test("a meeting that has begun is contact activity, in the account, in lists and in their filters", async () => {
  const here = await healthWorld();
  const { call, textOf, now } = here;
  for (const name of ["Acme", "Globex", "Initech"]) await here.account({ name });
  await here.meeting(now() - 2 * day, 1);
  await here.events(now() - 5 * day, 1, 1);
  await here.meeting(now() + hour, 2);
  const listed = async (query: string) => {
    const { body } = await call("GET", `/api/v1/accounts?include=contactActivity&${query}`);
    return body.data.map(({ id, contactActivity }: Record<string, unknown>) => [id, contactActivity]);
  };
  const met = { at: textOf(now() - 2 * day), source: "meeting" };
  expect((await here.health()).contactActivity).toEqual(met);
  const { body } = await call("GET", "/api/v1/accounts/1?include=contactActivity");
  expect(body.data.contactActivity).toEqual(met);
  expect(await listed(`contactActivityAt[gte]=${textOf(now() - 3 * day)}`)).toEqual([[1, met]]);
  expect(await listed("contactActivityAt=none")).toEqual([
    [2, null],
    [3, null],
  ]);
  // A meeting that begins later counts from then on.
  here.pass(hour);
  const later = { at: textOf(now()), source: "meeting" };
  expect(await listed("sortBy=contactActivityAt&sortOrder=desc&contactActivityAt[gt]=2020-01-01")).toEqual([
    [2, later],
    [1, met],
  ]);
});

test("an old time of a platform does not hide a new event or a new meeting; the API's value hides all", async () => {
  const here = await healthWorld();
  const { textOf, now } = here;
  await here.account({ name: "Acme" });
  const activity = async () => (await here.health()).contactActivity;
  await here.seen([{ accountId: 1, source: "crm", lastSeenAt: textOf(now() - 9 * day) }]);
  expect(await activity()).toEqual({ at: textOf(now() - 9 * day), source: "crm" });
  await here.events(now() - 5 * day);
  expect(await activity()).toEqual({ at: textOf(now() - 5 * day), source: "event" });
  const { id } = await here.meeting(now() - 3 * day);
  expect(await activity()).toEqual({ at: textOf(now() - 3 * day), source: "meeting" });
  await here.change({ contactActivityAt: textOf(now() - 8 * day) });
  expect(await activity()).toEqual({ at: textOf(now() - 8 * day), source: "api" });
  await here.change({ contactActivityAt: null });
  await here.call("DELETE", `/api/v1/meetings/${id}`);
  expect(await activity()).toEqual({ at: textOf(now() - 5 * day), source: "event" });
});
