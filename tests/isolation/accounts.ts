import { expect } from "bun:test";
import type { Body } from "../support/world.ts";
import { type Case, missing, nobody, sameAsMissing } from "./isolation-world.ts";

const accounts = "/api/v1/accounts";

export const accountCases: Record<string, Case> = {
  "GET /api/v1/accounts": async ({ send, mine, theirs }) => {
    const foreign = `id.in=${theirs.account}`;
    for (const query of [
      "search=theirs",
      "externalId=theirs",
      "status=active&search=theirs&sortBy=mrr",
      foreign,
    ]) {
      const { data, pagination } = (await send("GET", `${accounts}?${query}`)).body;
      expect([query, data, pagination.total]).toEqual([query, [], 0]);
    }
    const { data, pagination } = (await send("GET", `${accounts}?search=of&status=active`)).body;
    expect([data.map(({ id }: { id: number }) => id), pagination.total]).toEqual([[mine.account], 1]);
  },

  "GET /api/v1/accounts.csv": async ({ send, mine }) => {
    const { text } = await send("GET", `${accounts}.csv`);
    expect(text.split("\n").slice(1)).toEqual([
      expect.stringMatching(new RegExp(`^${mine.account},mine,`)),
      "",
    ]);
    const searched = await send("GET", `${accounts}.csv?search=theirs`);
    expect(searched.text.split("\n").slice(1)).toEqual([""]);
  },

  "GET /api/v1/accounts.jsonl": async ({ send, mine }) => {
    const { text } = await send("GET", `${accounts}.jsonl`);
    expect(JSON.parse(text)).toMatchObject({ id: mine.account, externalId: "mine" });
    expect((await send("GET", `${accounts}.jsonl?externalId=theirs`)).text).toBe("");
  },

  "GET /api/v1/accounts/:accountId": async ({ send, theirs }) => {
    await sameAsMissing((id) => send("GET", `${accounts}/${id}`), theirs.account, missing);
  },

  "PATCH /api/v1/accounts/:accountId": async ({ send, theirs, mine, rowsOf }) => {
    const before = await rowsOf("mine");
    for (const change of [
      { name: "Mine" },
      { externalId: null },
      { status: "churned" },
      { externalId: "theirs" },
    ])
      await sameAsMissing((id) => send("PATCH", `${accounts}/${id}`, change), theirs.account, missing);
    const patch = (id: number) => send("PATCH", `${accounts}/${id}`, { unknown: 1 });
    await sameAsMissing(patch, theirs.account, missing, 400);
    expect(await rowsOf("mine")).toBe(before);
    const { status, body } = await send("PATCH", `${accounts}/${mine.account}`, { externalId: "theirs" });
    expect([status, body.data.externalId]).toEqual([200, "theirs"]);
  },

  "POST /api/v1/accounts": async ({ send }) => {
    const { status, body } = await send("POST", accounts, { name: "Mine", externalId: "theirs" });
    expect([status, body.data.externalId]).toEqual([201, "theirs"]);
    const found = await send("GET", `${accounts}?externalId=theirs`);
    expect(found.body.data.map(({ id }: { id: number }) => id)).toEqual([body.data.id]);
  },

  "DELETE /api/v1/accounts/:accountId": async (world) => {
    const { send, theirs, mine, rowsOf } = world;
    const before = await rowsOf("mine");
    await sameAsMissing((id) => send("DELETE", `${accounts}/${id}`), theirs.account, missing);
    expect(await rowsOf("mine")).toBe(before);
    expect((await send("DELETE", `${accounts}/${mine.account}`)).status).toBe(204);
    await world.runJobs();
  },

  "GET /api/v1/accounts/external/:externalId": async ({ send, mine }) => {
    await sameAsMissing((externalId) => send("GET", `${accounts}/external/${externalId}`), "theirs", nobody);
    expect((await send("GET", `${accounts}/external/mine`)).body.data.id).toBe(mine.account);
  },

  "PATCH /api/v1/accounts/external/:externalId": async ({ send, mine, rowsOf }) => {
    const before = await rowsOf("mine");
    const patch = (externalId: string, body: Body) =>
      send("PATCH", `${accounts}/external/${externalId}`, body);
    for (const change of [{ name: "Mine" }, { externalId: null }, { status: "churned" }])
      await sameAsMissing((externalId) => patch(externalId, change), "theirs", nobody);
    await sameAsMissing((externalId) => patch(externalId, { unknown: 1 }), "theirs", nobody, 400);
    expect(await rowsOf("mine")).toBe(before);
    const { status, body } = await patch("mine", { externalId: "theirs" });
    expect([status, body.data.id, body.data.externalId]).toEqual([200, mine.account, "theirs"]);
  },

  "DELETE /api/v1/accounts/external/:externalId": async (world) => {
    const { send, rowsOf } = world;
    const before = await rowsOf("mine");
    await sameAsMissing(
      (externalId) => send("DELETE", `${accounts}/external/${externalId}`),
      "theirs",
      nobody,
    );
    expect(await rowsOf("mine")).toBe(before);
    expect((await send("DELETE", `${accounts}/external/mine`)).status).toBe(204);
    await world.runJobs();
  },

  "GET /api/v1/accounts/:accountId/history": async ({ send, theirs, mine }) => {
    for (const query of ["", "?page=2", "?pageSize=1"])
      await sameAsMissing((id) => send("GET", `${accounts}/${id}/history${query}`), theirs.account, missing);
    const { data, pagination } = (await send("GET", `${accounts}/${mine.account}/history`)).body;
    expect(new Set(data.map(({ accountId }: Body) => accountId))).toEqual(new Set([mine.account]));
    expect(pagination.total).toBe(data.length);
  },

  "GET /api/v1/attributes": async ({ send }) => {
    for (const resource of ["accounts", "contacts"]) {
      const { text, body } = await send("GET", `/api/v1/attributes?resource=${resource}`);
      expect([resource, body.data.length > 0, text.includes("theirs")]).toEqual([resource, true, false]);
    }
    for (const path of [accounts, "/api/v1/contacts"]) {
      const found = await send("GET", `${path}?attributes.owner=theirs&sortBy=attributes.owner`);
      expect([path, found.body.data, found.body.pagination.total]).toEqual([path, [], 0]);
    }
  },

  "PUT /api/v1/attributes/:name": async ({ send, runJobs }) => {
    for (const resource of ["accounts", "contacts"]) {
      const put = (name: string, body: Body) =>
        send("PUT", `/api/v1/attributes/${name}?resource=${resource}`, body);
      // The values of `theirs` are no numbers, and are not counted.
      expect((await put("theirs", { type: "number" })).status).toBe(200);
      const conflict = await put("owner", { type: "number", convert: true });
      const detail = 'must fit all stored values; number of others: 1, such as "mine"';
      expect([conflict.status, conflict.body.errors[0].detail]).toEqual([409, detail]);
    }
    await runJobs();
  },

  "GET /api/v1/changes": async ({ send, mine }) => {
    for (const query of ["", "?after=1", "?resource=contact", "?action=created&resource=account"]) {
      const { text, body } = await send("GET", `/api/v1/changes${query}`);
      expect([query, body.data.length > 0, text.includes("theirs")]).toEqual([query, true, false]);
      for (const { accountId } of body.data) expect([query, accountId]).toEqual([query, mine.account]);
    }
    const events = await send("GET", "/api/v1/changes?format=cloudevents");
    expect([events.body.length > 0, events.text.includes("theirs")]).toEqual([true, false]);
    for (const { data } of events.body) expect(data.accountId).toBe(mine.account);
    // The change log of each organization begins with 1.
    const { data } = (await send("GET", "/api/v1/changes")).body;
    expect(data.map(({ sequence }: Body) => sequence)).toEqual(data.map((_: Body, i: number) => i + 1));
  },

  "GET /api/v1/changes/stream": async ({ send, streamed }) => {
    const { data } = (await send("GET", "/api/v1/changes")).body;
    expect(await streamed("?after=0", data.length)).toEqual(data);
  },

  "GET /api/v1/changes/summary": async ({ send }) => {
    const { data } = (await send("GET", "/api/v1/changes")).body;
    const summary = (await send("GET", "/api/v1/changes/summary?from=2000-01-01")).body.data;
    expect(summary.lastSequence).toBe(data.length);
    expect(summary.counts.reduce((sum: number, { count }: Body) => sum + Number(count), 0)).toBe(data.length);
  },

  "PUT /api/v1/accounts/external/:externalId": async ({ send, theirs }) => {
    const put = (externalId: string, body: Body) => send("PUT", `${accounts}/external/${externalId}`, body);
    // The same reply as for an unused id: a new account requires a name.
    await sameAsMissing((externalId) => put(externalId, { mrr: 8 }), "theirs", nobody, 400);
    const created = await put("theirs", { name: "Mine" });
    expect([created.status, created.body.data.name]).toEqual([201, "Mine"]);
    expect(created.body.data.id).not.toBe(theirs.account);
    const repeated = await put("theirs", { name: "Mine" });
    expect([repeated.status, repeated.body]).toEqual([200, created.body]);
  },
};
