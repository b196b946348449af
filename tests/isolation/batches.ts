import { expect } from "bun:test";
import type { Body } from "../support/world.ts";
import { type Case, missing, nobody, sameAsMissing } from "./isolation-world.ts";

export const batchCases: Record<string, Case> = {
  "POST /api/v1/batch": async ({ send, theirs, mine, rowsOf }) => {
    const batch = (mode: string, operations: Body[]) => send("POST", "/api/v1/batch", { mode, operations });
    const before = await rowsOf("mine");
    for (const [mode, status] of [
      ["partial", 200],
      ["atomic", 422],
    ] as const) {
      for (const [path, body] of [
        ["contacts", { name: "Mine" }],
        ["meetings", { title: "Mine" }],
        ["requests", { title: "Mine" }],
      ] as const) {
        const byId = (id: number) => [
          { method: "PATCH", path: `/api/v1/${path}/${id}`, body },
          { method: "DELETE", path: `/api/v1/${path}/${id}` },
        ];
        await sameAsMissing((id) => batch(mode, byId(id)), theirs[path], missing, status);
        const external = (externalId: string) => [
          { method: "DELETE", path: `/api/v1/${path}/external/${externalId}` },
          {
            method: "PUT",
            path: `/api/v1/${path}/external/new`,
            body: { ...body, accountExternalId: externalId },
          },
        ];
        await sameAsMissing((id) => batch(mode, external(id)), "theirs", nobody, status);
      }
      const account = (id: number) => [
        { method: "PATCH", path: `/api/v1/accounts/${id}`, body: { name: "Mine" } },
        { method: "POST", path: `/api/v1/accounts/${id}/contacts`, body: { name: "Mine" } },
        { method: "DELETE", path: `/api/v1/accounts/${id}` },
      ];
      await sameAsMissing((id) => batch(mode, account(id)), theirs.account, missing, status);
    }
    expect(await rowsOf("mine")).toBe(before);
    const { body } = await batch("atomic", [
      { method: "PATCH", path: `/api/v1/accounts/${mine.account}`, body: { externalId: "theirs" } },
    ]);
    expect(body.data.results[0].body.data).toMatchObject({ id: mine.account, externalId: "theirs" });
  },

  "POST /api/v1/accounts/batch": async ({ send, theirs, mine }) => {
    const upsert = (account: Body) => send("POST", "/api/v1/accounts/batch", { accounts: [account] });
    // The same reply as for an unused id: a new account requires a name.
    const withoutName = (externalId: string) => upsert({ externalId, mrr: 8 });
    await sameAsMissing(withoutName, "theirs", nobody, 200);
    const contact = (externalId: string) => upsert({ externalId: "mine", contacts: [{ externalId }] });
    await sameAsMissing(contact, "theirs", nobody, 200);
    const rows = (externalId: string) => ({
      externalId: "mine",
      contacts: [{ externalId, name: "Mine", email: `${externalId}@x.io` }],
      meetings: [{ externalId, title: "Mine", startAt: "2026-01-01", endAt: "2026-01-01" }],
      requests: [{ externalId, title: "Mine" }],
    });
    const { body } = await upsert(rows("theirs"));
    expect(body.data.results).toEqual([{ result: "updated", id: mine.account }]);
    const created = await upsert({ ...rows("other"), externalId: "theirs", name: "Mine" });
    expect(created.body.data.created).toBe(1);
    expect(created.body.data.results[0].id).not.toBe(theirs.account);
    expect((await upsert({ ...rows("other"), externalId: "theirs" })).body.data.unchanged).toBe(1);
  },
};
