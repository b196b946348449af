import { expect, test } from "bun:test";
import { requestWorld } from "../resources/sub-resource-world.ts";
import { beginningText } from "../support/world.ts";

test("requestedAt is an ISO 8601 date or date-time, up to 5 minutes ahead, which counts as now", async () => {
  const { create, request } = await requestWorld();
  for (const [requestedAt, shown] of [
    ["2025-12-31", "2025-12-31T00:00:00.000Z"],
    ["1969-07-20T20:17", "1969-07-20T20:17:00.000Z"],
    [beginningText, beginningText],
    ["2026-01-02T05:04:05.6789+02:00", beginningText],
    ["2026-01-02T03:04:05.679Z", beginningText],
    ["2026-01-02T03:09:05.678Z", beginningText],
  ])
    expect((await request({ title: "SSO", requestedAt })).requestedAt).toBe(shown);
  for (const requestedAt of ["2026-01-02T03:09:05.679Z", "2026-01-03", "9999-12-31"])
    expect((await create({ title: "SSO", requestedAt })).body).toEqual({
      type: "urn:accountd:problem:invalid_request",
      title: "Invalid request",
      status: 400,
      detail: "Correct the fields or parameters listed in errors.",
      code: "invalid_request",
      errors: [{ pointer: "/requestedAt", code: "in_future", detail: "must be at most 5 minutes ahead" }],
    });
});

test("a request can be updated without requestedAt, also if the clock was set back", async () => {
  const { request, patch, put, pass } = await requestWorld();
  const before = await request({ title: "SSO", externalId: "JIRA-7", requestedAt: "2026-01-01" });
  const change = (body: object) => patch(before.id, body);
  pass(1000);
  await change({ requestedAt: "2026-01-02T03:04:06.678Z" });
  pass(-60_000);
  expect((await change({ title: "Other" })).status).toBe(200);
  expect((await put("JIRA-7", { status: "Done" })).status).toBe(200);
  expect((await change({ requestedAt: before.requestedAt })).status).toBe(200);
});
