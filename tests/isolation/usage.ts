import { expect } from "bun:test";
import type { Body } from "../support/world.ts";
import { type Case, missing, nobody, type Scene, sameAsMissing } from "./scene.ts";

/** Events, usage, last-seen timestamps and health. */
export const usageCases: Record<string, Case> = {
  "GET /api/v1/accounts/:accountId/usage": async ({ ask, theirs }) => {
    for (const query of ["", "?event=login", "?from=2026-01-02&to=2026-01-02", "?page=2"])
      await sameAsMissing(
        (id) => ask("GET", `/api/v1/accounts/${id}/usage${query}`),
        theirs.account,
        missing,
      );
  },

  "GET /api/v1/accounts/:accountId/health": async ({ ask, theirs }) => {
    for (const query of ["", "?asOf=2026-01-01"])
      await sameAsMissing(
        (id) => ask("GET", `/api/v1/accounts/${id}/health${query}`),
        theirs.account,
        missing,
      );
  },

  "GET /api/v1/health": async ({ ask, mine }) => {
    for (const query of ["", "?sortBy=mrr&sortOrder=desc", "?sortBy=name"]) {
      const { data, pagination } = (await ask("GET", `/api/v1/health${query}`)).body;
      const ids = data.map(({ accountId }: { accountId: number }) => accountId);
      expect([query, ids, pagination.total]).toEqual([query, [mine.account], 1]);
    }
  },

  "GET /api/v1/health/summary": async ({ ask }) => {
    const { tiers } = (await ask("GET", "/api/v1/health/summary")).body.data;
    const sum = (name: string) => tiers.reduce((total: number, tier: Body) => total + Number(tier[name]), 0);
    expect([sum("accounts"), sum("mrr")]).toEqual([1, 7]);
  },

  "GET /api/v1/events/unmatched": async ({ ask }) => {
    for (const query of ["", "?search=waiting", "?sortBy=count"]) {
      const { data, pagination } = (await ask("GET", `/api/v1/events/unmatched${query}`)).body;
      const ids = data.map(({ externalId }: Body) => externalId);
      expect([query, ids, pagination.total]).toEqual([query, ["waiting for mine"], 1]);
    }
  },

  "POST /api/v1/events": async (scene) => {
    await acceptsNothingForThem(scene, "/api/v1/events", (account, messageId) => ({
      events: [{ event: "login", messageId, ...account }],
    }));
    const { ask, theirs } = scene;
    const byId = (accountId: number) => ask("POST", "/api/v1/events", { event: "login", accountId });
    await sameAsMissing(byId, theirs.account, missing, 200);
    expect((await byId(theirs.account)).body.data).toMatchObject({ accepted: 0, parked: 0, rejected: 1 });
  },

  "POST /v1/batch": async (scene) => {
    await acceptsNothingForThem(scene, "/v1/batch", ({ externalId }, messageId) => ({
      batch: [{ type: "track", event: "login", messageId, context: { groupId: externalId } }],
    }));
  },

  "POST /api/v1/last-seen": async ({ ask, theirs, rowsOf }) => {
    const send = (seen: Body) => {
      const item = { ...seen, source: "platform", lastSeenAt: "2026-01-02T03:00:00Z" };
      return ask("POST", "/api/v1/last-seen", { items: [item] });
    };
    const before = rowsOf("mine");
    await sameAsMissing((accountId) => send({ accountId }), theirs.account, missing, 200);
    await sameAsMissing((externalId) => send({ externalId }), "theirs", nobody, 200);
    await sameAsMissing((contactEmail) => send({ contactEmail }), "theirs@x.io", "nobody@x.io", 200);
    expect(rowsOf("mine")).toBe(before);
    // Both organizations have a contact with this address.
    expect((await send({ contactEmail: "ada@x.io" })).body.data).toEqual({
      accepted: 1,
      rejected: 0,
      items: [],
    });
  },
};

/** An event for an account of the other organization is parked. Message ids of the other organization are no duplicates. */
async function acceptsNothingForThem(
  { ask }: Scene,
  path: string,
  bodyOf: (account: { externalId: string }, messageId: string) => Body,
): Promise<void> {
  const send = (externalId: string, messageId: string) =>
    ask("POST", path, bodyOf({ externalId }, messageId));
  await sameAsMissing((externalId) => send(externalId, `new ${externalId}`), "theirs", nobody, 200);
  const { data } = (await send("mine", "message of theirs")).body;
  expect(data).toMatchObject({ accepted: 1, duplicates: 0, parked: 0, rejected: 0, items: [] });
}
