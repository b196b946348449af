import { expect, test } from "bun:test";
import type { Body } from "../support/world.ts";
import { type Change, changeWorld } from "./change-world.ts";

const accounts = "/api/v1/accounts";

/** The sequence numbers are 1, 2, 3 and so on, and no timestamp is before another one. */
function expectNoGaps(changes: Change[]): void {
  expect(changes.map(({ sequence }) => sequence)).toEqual(changes.map((_, index) => index + 1));
  const times = changes.map(({ time }) => time);
  expect(times).toEqual(times.toSorted());
}

test("the sequence has no gaps when 300 requests of two organizations run at once and a third of them fail", async () => {
  const { call, send, changes, first, second, pass } = await changeWorld();
  const keys = [first.key, second.key];
  for (const key of keys)
    for (const externalId of ["a", "b"])
      await send("POST", accounts, { name: externalId, externalId }, { key });
  const requests = Array.from({ length: 300 }, (_, index) => {
    const options = { key: keys[index % 2] as string, headers: { "x-request-id": `r${index}` } };
    const mrr = { mrr: index };
    if (index % 3 === 0) return call("POST", accounts, { name: "A", externalId: "a" }, options);
    if (index % 3 === 1) return call("PATCH", `${accounts}/external/a`, mrr, options);
    pass(1);
    return call("POST", accounts, { name: `New ${index}`, contactName: "Ada" }, options);
  });
  const statuses = (await Promise.all(requests)).map(({ status }) => status);
  expect(Map.groupBy(statuses, (status) => status)).toMatchObject(
    new Map([409, 200, 201].map((status) => [status, Array(100).fill(status)])),
  );
  for (const key of keys) {
    const all = await changes({ key });
    expectNoGaps(all);
    // Two accounts, 50 updates, 50 new accounts with a contact each.
    expect(all).toHaveLength(2 + 50 + 100);
    // The `before` of each update is what the previous update stored.
    const updates = all.filter(({ type }) => type === "account.updated");
    const before = updates.map((change) => change.before?.mrr);
    expect(before).toEqual([0, ...updates.slice(0, -1).map((change) => change.after?.mrr)]);
    // The change of a contact follows that of its account in the same request.
    for (const [index, { type, requestId, accountId }] of all.entries())
      if (type === "contact.created")
        expect(all[index - 1]).toMatchObject({ type: "account.created", requestId, accountId });
  }
});

test("a change and its record are stored together or not at all", async () => {
  const { call, send, changes, failOn } = await changeWorld();
  await send("POST", accounts, { name: "Acme", externalId: "acme" });
  const endFailures = await failOn({
    ...{ table: "changes", on: "INSERT", when: "NEW.after LIKE '%Ada%'", message: "x" },
  });
  const before = (await call("GET", accounts)).body;
  const failing: [string, string, Body][] = [
    ["POST", accounts, { name: "New", contactName: "Ada" }],
    ["PATCH", `${accounts}/1`, { name: "Ada" }],
    ["PUT", `${accounts}/external/new`, { name: "Ada" }],
    ["POST", `${accounts}/1/contacts`, { name: "Ada" }],
  ];
  for (const [method, path, body] of failing)
    expect((await call(method, path, body)).body).toMatchObject({ status: 500, code: "internal_error" });
  expect((await call("GET", accounts)).body).toEqual(before);
  expect((await call("GET", `${accounts}/1/contacts`)).body.data).toEqual([]);
  await endFailures();
  await send("PATCH", `${accounts}/1`, { name: "Ada" });
  const all = await changes();
  expectNoGaps(all);
  expect(all.map(({ type }) => type)).toEqual(["account.created", "account.updated"]);
});

test("the time of a change is not before that of the change before it, also when the clock is set back", async () => {
  const { send, changes, pass, nowText } = await changeWorld();
  const late = nowText();
  await send("POST", accounts, { name: "Acme" });
  pass(-60_000);
  await send("PATCH", `${accounts}/1`, { mrr: 1 });
  await send("POST", accounts, { name: "Globex" });
  const all = await changes();
  expectNoGaps(all);
  expect(all.map(({ time }) => time)).toEqual([late, late, late]);
});
