import { expect } from "bun:test";
import type { Body } from "../support/world.ts";
import { type Case, missing, nobody, sameAsMissing } from "./scene.ts";

const accounts = "/api/v1/accounts";

export const accountCases: Record<string, Case> = {
  "GET /api/v1/accounts": async ({ ask, mine }) => {
    for (const query of ["search=theirs", "externalId=theirs", "status=active&search=theirs&sortBy=mrr"]) {
      const { data, pagination } = (await ask("GET", `${accounts}?${query}`)).body;
      expect([query, data, pagination.total]).toEqual([query, [], 0]);
    }
    const { data, pagination } = (await ask("GET", `${accounts}?search=of&status=active`)).body;
    expect([data.map(({ id }: { id: number }) => id), pagination.total]).toEqual([[mine.account], 1]);
  },

  "GET /api/v1/accounts/:accountId": async ({ ask, theirs }) => {
    await sameAsMissing((id) => ask("GET", `${accounts}/${id}`), theirs.account, missing);
  },

  "PATCH /api/v1/accounts/:accountId": async ({ ask, theirs, mine, rowsOf }) => {
    const before = rowsOf("mine");
    for (const change of [
      { name: "Mine" },
      { externalId: null },
      { status: "churned" },
      { externalId: "theirs" },
    ])
      await sameAsMissing((id) => ask("PATCH", `${accounts}/${id}`, change), theirs.account, missing);
    const nothing = (id: number) => ask("PATCH", `${accounts}/${id}`, { unknown: 1 });
    await sameAsMissing(nothing, theirs.account, missing, 400);
    expect(rowsOf("mine")).toBe(before);
    const { status, body } = await ask("PATCH", `${accounts}/${mine.account}`, { externalId: "theirs" });
    expect([status, body.data.externalId]).toEqual([200, "theirs"]);
  },

  "POST /api/v1/accounts": async ({ ask }) => {
    const { status, body } = await ask("POST", accounts, { name: "Mine", externalId: "theirs" });
    expect([status, body.data.externalId]).toEqual([201, "theirs"]);
    const found = await ask("GET", `${accounts}?externalId=theirs`);
    expect(found.body.data.map(({ id }: { id: number }) => id)).toEqual([body.data.id]);
  },

  "DELETE /api/v1/accounts/:accountId": async (scene) => {
    const { ask, theirs, mine, rowsOf } = scene;
    const before = rowsOf("mine");
    await sameAsMissing((id) => ask("DELETE", `${accounts}/${id}`), theirs.account, missing);
    expect(rowsOf("mine")).toBe(before);
    expect((await ask("DELETE", `${accounts}/${mine.account}`)).status).toBe(204);
    await scene.runJobs();
  },

  "GET /api/v1/accounts/external/:externalId": async ({ ask, mine }) => {
    await sameAsMissing((externalId) => ask("GET", `${accounts}/external/${externalId}`), "theirs", nobody);
    expect((await ask("GET", `${accounts}/external/mine`)).body.data.id).toBe(mine.account);
  },

  "PATCH /api/v1/accounts/external/:externalId": async ({ ask, mine, rowsOf }) => {
    const before = rowsOf("mine");
    const patch = (externalId: string, body: Body) =>
      ask("PATCH", `${accounts}/external/${externalId}`, body);
    for (const change of [{ name: "Mine" }, { externalId: null }, { status: "churned" }])
      await sameAsMissing((externalId) => patch(externalId, change), "theirs", nobody);
    await sameAsMissing((externalId) => patch(externalId, { unknown: 1 }), "theirs", nobody, 400);
    expect(rowsOf("mine")).toBe(before);
    const { status, body } = await patch("mine", { externalId: "theirs" });
    expect([status, body.data.id, body.data.externalId]).toEqual([200, mine.account, "theirs"]);
  },

  "DELETE /api/v1/accounts/external/:externalId": async (scene) => {
    const { ask, rowsOf } = scene;
    const before = rowsOf("mine");
    await sameAsMissing(
      (externalId) => ask("DELETE", `${accounts}/external/${externalId}`),
      "theirs",
      nobody,
    );
    expect(rowsOf("mine")).toBe(before);
    expect((await ask("DELETE", `${accounts}/external/mine`)).status).toBe(204);
    await scene.runJobs();
  },

  "GET /api/v1/accounts/:accountId/history": async ({ ask, theirs, mine }) => {
    for (const query of ["", "?page=2", "?pageSize=1"])
      await sameAsMissing((id) => ask("GET", `${accounts}/${id}/history${query}`), theirs.account, missing);
    const { data, pagination } = (await ask("GET", `${accounts}/${mine.account}/history`)).body;
    expect(new Set(data.map(({ accountId }: Body) => accountId))).toEqual(new Set([mine.account]));
    expect(pagination.total).toBe(data.length);
  },

  "GET /api/v1/changes": async ({ ask, mine }) => {
    for (const query of ["", "?after=1", "?resource=contact", "?action=created&resource=account"]) {
      const { text, body } = await ask("GET", `/api/v1/changes${query}`);
      expect([query, body.data.length > 0, text.includes("theirs")]).toEqual([query, true, false]);
      for (const { accountId } of body.data) expect([query, accountId]).toEqual([query, mine.account]);
    }
    // The change log of each organization begins with 1.
    const { data } = (await ask("GET", "/api/v1/changes")).body;
    expect(data.map(({ sequence }: Body) => sequence)).toEqual(data.map((_: Body, i: number) => i + 1));
  },

  "PUT /api/v1/accounts/external/:externalId": async ({ ask, theirs }) => {
    const put = (externalId: string, body: Body) => ask("PUT", `${accounts}/external/${externalId}`, body);
    // The same reply as for an unused id: a new account requires a name.
    await sameAsMissing((externalId) => put(externalId, { mrr: 8 }), "theirs", nobody, 400);
    const made = await put("theirs", { name: "Mine" });
    expect([made.status, made.body.data.name]).toEqual([201, "Mine"]);
    expect(made.body.data.id).not.toBe(theirs.account);
    const again = await put("theirs", { name: "Mine" });
    expect([again.status, again.body]).toEqual([200, made.body]);
  },
};
