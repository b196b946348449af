import { expect, test } from "bun:test";
import { requestWorld } from "../resources/sub-resource-world.ts";
import { type Body, beginning, beginningText } from "../support/world.ts";

const minute = 60_000;
const textOf = (time: number) => new Date(time).toISOString();
const [requestedAt, resolvedAt] = ["2024-12-01T00:00:00.000Z", "2024-12-09T10:11:12.131Z"];
type World = Awaited<ReturnType<typeof requestWorld>>;
type Write = (here: World, body: Body) => Promise<{ errors: unknown[] } | { row: Body }>;

async function rowOf({ call }: World): Promise<{ row: Body }> {
  return { row: (await call("GET", "/api/v1/requests/external/r")).body.data };
}

/** The problem of a reply, or the stored row. The pointers of batches are those of the row. */
async function outcomeOf(here: World, problem: { errors?: { pointer: string; code: string }[] } | undefined) {
  if (!problem?.errors) return rowOf(here);
  return {
    errors: problem.errors.map(({ pointer, code }) => `${pointer.slice(pointer.lastIndexOf("/"))} ${code}`),
  };
}

/** Each way to write the request `r` of the account `acme`, which may exist. */
const creations: Record<string, Write> = {
  POST: async (here, body) =>
    outcomeOf(here, (await here.create({ title: "SSO", externalId: "r", ...body })).body),
  PUT: async (here, body) =>
    outcomeOf(here, (await here.put("r", { title: "SSO", accountId: 1, ...body })).body),
  "a batch of accounts": async (here, body) => {
    const accounts = [{ externalId: "acme", requests: [{ externalId: "r", title: "SSO", ...body }] }];
    const reply = await here.call("POST", "/api/v1/accounts/batch", { accounts });
    return outcomeOf(here, reply.body.data.results[0].problem);
  },
  "a batch": async (here, body) => {
    const path = "/api/v1/requests/external/r";
    const operations = [{ method: "PUT", path, body: { title: "SSO", accountId: 1, ...body } }];
    const reply = await here.call("POST", "/api/v1/batch", { mode: "partial", operations });
    return outcomeOf(here, reply.body.data.results[0].body);
  },
};
const { POST: _, ...upserts } = creations;
const updates: Record<string, Write> = {
  PATCH: async (here, body) => outcomeOf(here, (await here.patch(1, body)).body),
  ...upserts,
};

test.each(Object.entries(creations))(
  "%s sets resolvedAt of a new request that is Done or Declined",
  async (_, write) => {
    for (const status of ["Done", "Declined"]) {
      const here = await requestWorld();
      expect(await write(here, { status, requestedAt, resolvedAt })).toMatchObject({
        row: { status, requestedAt, resolvedAt },
      });
    }
  },
);

test.each(Object.entries(updates))(
  "%s sets resolvedAt with a change to Done, and later",
  async (_, write) => {
    const here = await requestWorld();
    await here.request({ title: "SSO", externalId: "r", requestedAt });
    expect(await write(here, { status: "Done", resolvedAt })).toMatchObject({
      row: { status: "Done", resolvedAt },
    });
    const other = "2025-01-01T00:00:00.000Z";
    expect(await write(here, { resolvedAt: other })).toMatchObject({
      row: { status: "Done", resolvedAt: other },
    });
    expect(await write(here, { title: "Other" })).toMatchObject({
      row: { title: "Other", resolvedAt: other },
    });
    expect(await write(here, { status: "Open" })).toMatchObject({
      row: { status: "Open", resolvedAt: null },
    });
  },
);

test.each(Object.entries({ ...creations, ...updates }))(
  "%s with a resolvedAt rejects another status, a time before requestedAt, and one over 5 minutes ahead",
  async (name, write) => {
    const here = await requestWorld();
    if (name in updates) await here.request({ title: "SSO", externalId: "r", requestedAt });
    for (const status of ["Open", "Planned", "Started"])
      expect(await write(here, { status, resolvedAt })).toEqual({ errors: ["/resolvedAt not_allowed"] });
    const early = textOf(Date.parse(requestedAt) - 1);
    expect(await write(here, { status: "Done", requestedAt, resolvedAt: early })).toEqual({
      errors: ["/resolvedAt after_resolved"],
    });
    const late = textOf(beginning + 5 * minute + 1);
    expect(await write(here, { status: "Done", requestedAt, resolvedAt: late })).toEqual({
      errors: ["/resolvedAt in_future"],
    });
    expect(await write(here, { status: "Open", resolvedAt: null })).toMatchObject({
      row: { resolvedAt: null },
    });
  },
);

test.each(Object.entries(creations))("%s stores times up to 5 minutes ahead as now", async (_, write) => {
  for (const ahead of [1, 5 * minute]) {
    const here = await requestWorld();
    const times = { requestedAt: textOf(beginning + ahead), resolvedAt: textOf(beginning + ahead) };
    expect(await write(here, { status: "Done", ...times })).toMatchObject({
      row: { requestedAt: beginningText, resolvedAt: beginningText },
    });
  }
});

test("without a resolvedAt, or with null, a request is resolved at the time of the change", async () => {
  const { create, patch, pass, now } = await requestWorld();
  const done = { title: "SSO", status: "Done", requestedAt };
  for (const body of [done, { ...done, resolvedAt: null }])
    expect((await create(body)).body.data).toMatchObject({ requestedAt, resolvedAt: beginningText });
  pass(minute);
  expect((await patch(1, { resolvedAt: null, severity: 5 })).body.data.resolvedAt).toBe(beginningText);
  await patch(1, { status: "Open" });
  expect((await patch(1, { status: "Done", resolvedAt: null })).body.data.resolvedAt).toBe(textOf(now()));
});

test("with a clock that was set back, a resolvedAt within the 5 minutes is not stored before requestedAt", async () => {
  const { request, patch, pass } = await requestWorld();
  const { id } = await request({ title: "SSO" });
  pass(-minute);
  const at = textOf(beginning + 2 * minute);
  expect((await patch(id, { status: "Done", resolvedAt: at })).body.data).toMatchObject({
    requestedAt: beginningText,
    resolvedAt: beginningText,
  });
});

test("a request that was resolved long ago does not lower the score of its account", async () => {
  const { put, call } = await requestWorld();
  await call("PATCH", "/api/v1/accounts/1", { contactActivityAt: beginningText });
  const health = async () => (await call("GET", "/api/v1/accounts/1/health")).body.data;
  const { score } = await health();
  await put("old", { accountId: 1, title: "SSO", status: "Done", requestedAt, resolvedAt });
  const after = await health();
  expect([score, after.score]).toEqual([100, 100]);
  expect(after.factors.map(({ key }: { key: string }) => key)).toEqual(["contactActivity", "openRequests"]);
});
