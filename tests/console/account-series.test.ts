import { expect, test } from "bun:test";
import { memberChanges, namesIn, titleOf } from "../../src/console/app/pages/account/change-text.ts";
import { readCompleteDays, usageSeries } from "../../src/console/app/pages/account/usage-series.ts";

test("Usage has a series for each of the five most frequent events, and one for the others", () => {
  const rows = ["a", "b", "c", "d", "e", "f", "g"].flatMap((event, i) => [
    { day: "2026-03-01", event, count: 10 - i, users: 1 },
    { day: "2026-03-03", event, count: 1, users: 2 },
  ]);
  const { days, events, users } = usageSeries(rows, "2026-03-01", "2026-03-03");
  expect(days).toHaveLength(3);
  expect(events.map(({ name, values }) => [name, values])).toEqual([
    ["a", [10, 0, 1]],
    ["b", [9, 0, 1]],
    ["c", [8, 0, 1]],
    ["d", [7, 0, 1]],
    ["e", [6, 0, 1]],
    ["Other events (2)", [9, 0, 2]],
  ]);
  expect(users.map(({ name }) => name)).toEqual(["a", "b", "c", "d", "e"]);
  expect(users[0]?.values).toEqual([1, 0, 2]);
  expect(usageSeries([], "2026-03-01", "2026-03-03").events).toEqual([]);
});

test("A change has the members that differ, without those that repeat others", () => {
  const before = {
    status: "active",
    active: true,
    updatedAt: "2026-01-01T00:00:00.000Z",
    attributes: { plan: "pro" },
  };
  const after = {
    status: "churned",
    active: false,
    updatedAt: "2026-01-02T00:00:00.000Z",
    attributes: { plan: null },
  };
  // Safe: the shape of an update of an account.
  const change = { before, after } as unknown as Parameters<typeof memberChanges>[0];
  expect(memberChanges(change)).toEqual([
    { name: "status", from: "active", to: "churned" },
    { name: "attributes.plan", from: "pro", to: null },
  ]);
});

test("The title of a change has the name of its row, also from another change, or its id", () => {
  const change = { type: "request.created", resourceId: 7, before: null, after: { title: "Audit log" } };
  // Safe: the members that the title uses.
  type Change = Parameters<typeof titleOf>[0];
  const created = change as unknown as Change;
  const updated = { ...change, type: "request.updated", after: {} } as unknown as Change;
  const names = namesIn([updated, created]);
  expect(titleOf(created, names)).toBe("Request created: Audit log");
  expect(titleOf(updated, names)).toBe("Request updated: Audit log");
  expect(titleOf(updated, new Map())).toBe("Request updated: 7");
});

test("Of too many rows, those of the complete days are read, and no further page", async () => {
  let readCount = 0;
  async function* rows() {
    for (const day of ["2026-03-01", "2026-03-02", "2026-03-03"])
      for (const event of ["a", "b"]) {
        readCount += 1;
        yield { day, event, count: 1, users: 1 };
      }
  }
  const { rows: complete, isCut } = await readCompleteDays(rows(), 3);
  expect(complete.map(({ day, event }) => day + event)).toEqual(["2026-03-01a", "2026-03-01b"]);
  expect([isCut, readCount]).toEqual([true, 4]);
  expect(await readCompleteDays(rows(), 6)).toMatchObject({ isCut: false });
});
