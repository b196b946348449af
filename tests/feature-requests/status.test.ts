import { expect, test } from "bun:test";
import { requestWorld } from "../resources/sub-resource-world.ts";
import { beginningText } from "../support/world.ts";

const statuses = ["Open", "Planned", "Started", "Done", "Declined"] as const;
const resolved: readonly string[] = ["Done", "Declined"];
const laterText = "2026-01-02T03:04:06.678Z";

for (const from of statuses)
  test(`every status may follow ${from}, and changes only status, resolvedAt and updatedAt`, async () => {
    const { request, patch, get, pass } = await requestWorld();
    const created = [];
    for (const to of statuses) created.push({ to, before: await request({ title: to, status: from }) });
    pass(1000);
    for (const { to, before } of created) {
      const reply = await patch(before.id, { status: to });
      expect(reply.status).toBe(200);
      const { resolvedAt, updatedAt, ...others } = reply.body.data;
      expect({ ...others, resolvedAt: null, updatedAt: beginningText }).toEqual({
        ...before,
        status: to,
        resolvedAt: null,
      });
      expect(updatedAt).toBe(to === from ? beginningText : laterText);
      expect(resolvedAt !== null).toBe(resolved.includes(to));
      expect((await get(before.id)).body).toEqual(reply.body);
    }
  });

test("resolvedAt does not change while a request is Done or Declined", async () => {
  const { request, patch, put, pass } = await requestWorld();
  const { id } = await request({ title: "SSO", status: "Done", externalId: "JIRA-7" });
  for (const change of [
    { title: "Other" },
    { severity: 5 },
    { requestedAt: "2025-01-01" },
    { status: "Done" },
  ]) {
    pass(1000);
    expect((await patch(id, change)).body.data.resolvedAt).toBe(beginningText);
    expect((await put("JIRA-7", { ...change, accountId: 2 })).body.data.resolvedAt).toBe(beginningText);
  }
});

test("resolvedAt does not change between Done and Declined", async () => {
  const { request, patch, pass } = await requestWorld();
  const { id } = await request({ title: "SSO", status: "Done" });
  for (const status of ["Declined", "Done"]) {
    pass(1000);
    expect((await patch(id, { status })).body.data).toMatchObject({ status, resolvedAt: beginningText });
  }
});

test("a requestedAt after resolvedAt is 400 and changes nothing", async () => {
  const { request, get, patch, put, pass } = await requestWorld();
  for (const status of resolved) {
    const before = await request({ title: "SSO", status, externalId: status });
    const { resolvedAt } = before;
    pass(1000);
    const later = new Date(Date.parse(resolvedAt) + 1).toISOString();
    for (const change of [
      { requestedAt: later },
      { requestedAt: later, title: "Other" },
      ...resolved.map((to) => ({ requestedAt: later, status: to })),
    ])
      for (const reply of [await patch(before.id, change), await put(status, { ...change, accountId: 2 })]) {
        expect(reply.body).toMatchObject({ status: 400, code: "invalid_request" });
        expect(reply.body.errors).toEqual([
          { pointer: "/requestedAt", code: "after_resolved", detail: "must not be after resolvedAt" },
        ]);
      }
    expect((await get(before.id)).body.data).toEqual(before);
    for (const reply of [
      await patch(before.id, { requestedAt: "2025-01-01" }),
      await put(status, { requestedAt: resolvedAt }),
    ])
      expect([reply.status, reply.body.data.resolvedAt]).toEqual([200, resolvedAt]);
  }
});

test("requestedAt may be now in a change to Done, and later than resolvedAt in a change to Open", async () => {
  const { request, create, patch, put, pass, now } = await requestWorld();
  const text = () => new Date(now()).toISOString();
  const done = () => ({ status: "Done", requestedAt: text() });
  const isDone = () => ({ status: "Done", requestedAt: text(), resolvedAt: text() });
  expect((await create({ title: "SSO", ...done() })).body.data).toMatchObject(isDone());
  const created = await put("JIRA-7", { accountId: 1, title: "SSO", ...done() });
  expect([created.status, created.body.data]).toMatchObject([201, isDone()]);
  const { id } = await request({ title: "SSO", externalId: "JIRA-8" });
  for (const change of [(body: object) => patch(id, body), (body: object) => put("JIRA-8", body)]) {
    pass(1000);
    expect((await change(done())).body.data).toMatchObject(isDone());
    pass(1000);
    const open = { status: "Open", requestedAt: text() };
    expect((await change(open)).body.data).toMatchObject({ ...open, resolvedAt: null });
  }
});

test("with a clock that was set back, resolvedAt is not before requestedAt", async () => {
  const { request, patch, put, pass } = await requestWorld();
  const { id } = await request({ title: "SSO", externalId: "JIRA-7" });
  pass(-60_000);
  for (const change of [(body: object) => patch(id, body), (body: object) => put("JIRA-7", body)]) {
    const done = (await change({ status: "Done" })).body.data;
    expect(done).toMatchObject({ requestedAt: beginningText, resolvedAt: beginningText });
    await change({ status: "Open" });
  }
});
