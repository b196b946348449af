import { expect, test } from "bun:test";
import { beginningText } from "../support/world.ts";
import { requestWorld } from "./request-world.ts";

const laterText = "2026-01-02T03:04:06.678Z";

test("PUT creates the request with this externalId: status 201, its path in Location", async () => {
  const { put, call } = await requestWorld();
  const reply = await put("JIRA-7", { accountId: 2, title: "SSO" });
  expect([reply.status, reply.headers.get("location")]).toEqual([201, "/api/v1/requests/1"]);
  expect(reply.body).toEqual({
    data: {
      id: 1,
      accountId: 2,
      externalId: "JIRA-7",
      title: "SSO",
      status: "Open",
      severity: 3,
      requestedAt: beginningText,
      resolvedAt: null,
      createdAt: beginningText,
      updatedAt: beginningText,
    },
  });
  expect((await call("GET", "/api/v1/requests/1")).text).toBe(reply.text);
});

test("PUT updates the request with this externalId: status 200, also if it was created by POST", async () => {
  const { put, request, get, pass, list } = await requestWorld();
  const before = await request({ title: "SSO", externalId: "JIRA-7" });
  pass(1000);
  const change = { title: "Single sign-on", status: "Done", severity: 1 };
  const reply = await put("JIRA-7", { accountId: 1, ...change, requestedAt: "2025-01-01" });
  expect([reply.status, reply.headers.get("location")]).toEqual([200, null]);
  expect(reply.body).toEqual({
    data: {
      ...before,
      ...change,
      requestedAt: "2025-01-01T00:00:00.000Z",
      resolvedAt: laterText,
      updatedAt: laterText,
    },
  });
  expect((await get(before.id)).text).toBe(reply.text);
  expect((await list()).body.pagination.total).toBe(1);
});

test("PUT leaves absent members unchanged, without defaults", async () => {
  const { put, request, pass } = await requestWorld();
  let before = await request({
    title: "SSO",
    externalId: "JIRA-7",
    status: "Started",
    severity: 5,
    requestedAt: "2025-01-01",
  });
  for (const change of [
    { title: "Other" },
    { status: "Planned" },
    { severity: 1 },
    { requestedAt: "2025-06-01T00:00:00.000Z" },
    { accountId: 2 },
  ]) {
    pass(1000);
    const after = (await put("JIRA-7", change)).body.data;
    expect(after).toEqual({ ...before, ...change, updatedAt: after.updatedAt });
    expect(after.updatedAt > before.updatedAt).toBe(true);
    before = after;
  }
});

test("a PUT without a change leaves updatedAt; a PUT with a change increases it", async () => {
  const { put, pass } = await requestWorld();
  const body = { accountId: 1, title: "SSO", requestedAt: "2025-01-01" };
  const before = (await put("JIRA-7", body)).body.data;
  const after = { ...before, severity: 5, updatedAt: "2026-01-02T03:04:05.679Z" };
  expect((await put("JIRA-7", { ...body, severity: 5 })).body.data).toEqual(after);
  pass(1000);
  for (const same of [{ ...body, severity: 5 }, { accountExternalId: "acme", status: "Open" }, {}]) {
    const reply = await put("JIRA-7", same);
    expect([reply.status, reply.body.data]).toEqual([200, after]);
  }
});

test("PUT of a new request requires a title and an account", async () => {
  const { put, list } = await requestWorld();
  const required = async (body: object) => {
    const reply = await put("new", body);
    expect([reply.status, reply.body.code]).toEqual([400, "invalid_request"]);
    return reply.body.errors.map((error: { pointer: string; code: string }) => {
      expect(error.code).toBe("required");
      return error.pointer;
    });
  };
  expect(await required({})).toEqual(["/accountId", "/title"]);
  expect(await required({ title: "SSO", severity: 5 })).toEqual(["/accountId"]);
  expect(await required({ accountExternalId: "acme" })).toEqual(["/title"]);
  expect(await required({ accountId: 1, status: "Done" })).toEqual(["/title"]);
  expect((await list()).body.data).toEqual([]);
});

test("accountId or accountExternalId is the account; another account moves the request there", async () => {
  const { put, list, pass } = await requestWorld();
  const created = await put("JIRA-7", { accountExternalId: "acme", title: "SSO" });
  expect([created.status, created.body.data.accountId]).toEqual([201, 1]);
  pass(1000);
  const after = { ...created.body.data, accountId: 2, updatedAt: laterText };
  const moved = await put("JIRA-7", { accountExternalId: "globex" });
  expect([moved.status, moved.body.data]).toEqual([200, after]);
  expect([(await list("", 1)).body.data, (await list("", 2)).body.data]).toEqual([[], [after]]);
  expect((await put("JIRA-7", { accountId: 1 })).body.data.accountId).toBe(1);
  expect((await put("JIRA-7", { accountId: 2, accountExternalId: "acme" })).body.data.accountId).toBe(2);
});

test("PUT with an account that does not exist, or of another organization, is 404, and changes nothing", async () => {
  const { put, request, get, account, second } = await requestWorld();
  const before = await request({ title: "SSO", externalId: "JIRA-7" });
  const theirs = await account({ name: "Theirs", externalId: "theirs" }, { key: second.key });
  for (const externalId of ["JIRA-7", "new"])
    for (const reference of [
      { accountId: 999 },
      { accountExternalId: "nobody" },
      { accountId: theirs.id },
      { accountExternalId: "theirs" },
    ]) {
      const reply = await put(externalId, { ...reference, title: "Changed" });
      expect([reply.status, reply.body.detail]).toEqual([
        404,
        `There is no account with this ${"accountId" in reference ? "id" : "externalId"} in your organization.`,
      ]);
    }
  expect((await get(before.id)).body.data).toEqual(before);
});

test("PUT rejects the same values as POST, and invalid account references", async () => {
  const { put, list } = await requestWorld();
  for (const [member, values] of Object.entries({
    title: [null, "", " ", "x".repeat(256), 5],
    status: [null, "", "done", 5],
    severity: [null, 0, 6, 2.5, "3"],
    requestedAt: [null, "", "2026-02-30", "2026-01-02T03:09:05.679Z", 5],
    resolvedAt: ["", "2026-02-30", "2026-01-02", 5],
    accountId: [null, "1", -1, 1.5, 2 ** 53],
    accountExternalId: [null, "", "x".repeat(256), 5],
  }))
    for (const value of values)
      expect((await put("new", { accountId: 1, title: "SSO", [member]: value })).body).toMatchObject({
        status: 400,
        errors: [{ pointer: `/${member}` }],
      });
  expect((await list()).body.data).toEqual([]);
});

test("PUT ignores unknown and read-only members, including an externalId in the body", async () => {
  const { put } = await requestWorld();
  const ignored = { id: 9, externalId: "other", createdAt: laterText, extra: {} };
  const { data } = (await put("JIRA-7", { accountId: 1, title: "SSO", ...ignored })).body;
  expect(data).toMatchObject({ id: 1, externalId: "JIRA-7", resolvedAt: null, createdAt: beginningText });
});
