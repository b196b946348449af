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

  "PUT /api/v1/accounts/external/:externalId": async ({ ask, theirs }) => {
    const put = (externalId: string, body: Body) => ask("PUT", `${accounts}/external/${externalId}`, body);
    // What they have cannot be told from what nobody has: a new one needs a name.
    await sameAsMissing((externalId) => put(externalId, { mrr: 8 }), "theirs", nobody, 400);
    const made = await put("theirs", { name: "Mine" });
    expect([made.status, made.body.data.name]).toEqual([201, "Mine"]);
    expect(made.body.data.id).not.toBe(theirs.account);
    const again = await put("theirs", { name: "Mine" });
    expect([again.status, again.body]).toEqual([200, made.body]);
  },
};
