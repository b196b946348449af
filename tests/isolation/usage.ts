import { expect } from "bun:test";
import { defaultHealthSettings } from "../../src/shared/health.ts";
import type { Body } from "../support/world.ts";
import { type Case, type IsolationWorld, missing, nobody, sameAsMissing } from "./isolation-world.ts";

/** The paths of other tools, with the type of the call of those that take one. */
const callTypes = { track: "t", identify: "i", group: "g", page: "p", alias: "a", screen: "s" };
const ingestCases = Object.fromEntries([
  ...["batch", "import", "b"].map((name): [string, Case] => [`POST /v1/${name}`, batchCase(`/v1/${name}`)]),
  ...Object.entries(callTypes)
    .flatMap(([type, short]) => [type, short].map((name) => [name, type] as const))
    .map(([name, type]): [string, Case] => [`POST /v1/${name}`, callCase(`/v1/${name}`, type)]),
]);

/** What belongs to an account, by its external id. */
const belowExternal = Object.fromEntries(
  ["usage", "health", "health/history", "history"].map((name): [string, Case] => [
    `GET /api/v1/accounts/external/:externalId/${name}`,
    async ({ send, mine }) => {
      const read = (externalId: string) => send("GET", `/api/v1/accounts/external/${externalId}/${name}`);
      await sameAsMissing(read, "theirs", nobody);
      const byId = await send("GET", `/api/v1/accounts/${mine.account}/${name}`);
      expect((await read("mine")).body).toEqual(byId.body);
    },
  ]),
);

/** Events, usage, last-seen timestamps, health and erasures. */
export const usageCases: Record<string, Case> = {
  ...ingestCases,
  ...belowExternal,

  "GET /api/v1/accounts/:accountId/usage": async ({ send, theirs }) => {
    for (const query of ["", "?event=login", "?from=2026-01-02&to=2026-01-02", "?page=2"])
      await sameAsMissing(
        (id) => send("GET", `/api/v1/accounts/${id}/usage${query}`),
        theirs.account,
        missing,
      );
  },

  "GET /api/v1/usage": async ({ send }) => {
    for (const query of ["", "?event=login", "?cursor="]) {
      const { data } = (await send("GET", `/api/v1/usage${query}`)).body;
      const sums = data.map(({ event, count, users, accounts }: Body) => [event, count, users, accounts]);
      expect([query, sums]).toEqual([query, [["login", 1, 1, 1]]]);
    }
  },

  "GET /api/v1/usage/accounts": async ({ send, mine }) => {
    for (const query of ["", "?event=login"]) {
      const { data, pagination } = (await send("GET", `/api/v1/usage/accounts${query}`)).body;
      const ids = data.map(({ accountId }: Body) => accountId);
      expect([query, ids, pagination.total]).toEqual([query, [mine.account], 1]);
    }
  },

  "GET /api/v1/accounts/:accountId/health": async ({ send, theirs }) => {
    for (const query of ["", "?asOf=2026-01-01"])
      await sameAsMissing(
        (id) => send("GET", `/api/v1/accounts/${id}/health${query}`),
        theirs.account,
        missing,
      );
  },

  "GET /api/v1/accounts/:accountId/health/history": async ({ send, theirs }) => {
    for (const query of ["", "?from=2026-01-01&to=2026-01-02"])
      await sameAsMissing(
        (id) => send("GET", `/api/v1/accounts/${id}/health/history${query}`),
        theirs.account,
        missing,
      );
  },

  "GET /api/v1/health": async ({ send, mine }) => {
    for (const query of ["", "?sortBy=mrr&sortOrder=desc", "?sortBy=name"]) {
      const { data, pagination } = (await send("GET", `/api/v1/health${query}`)).body;
      const ids = data.map(({ accountId }: { accountId: number }) => accountId);
      expect([query, ids, pagination.total]).toEqual([query, [mine.account], 1]);
    }
  },

  "GET /api/v1/health/summary": async ({ send }) => {
    const { tiers, distribution } = (await send("GET", "/api/v1/health/summary")).body.data;
    expect(distribution.reduce((sum: number, count: number) => sum + count)).toBe(1);
    const sum = (name: string) => tiers.reduce((total: number, tier: Body) => total + Number(tier[name]), 0);
    expect([sum("accounts"), sum("mrr")]).toEqual([1, 7]);
  },

  "GET /api/v1/health/settings": async ({ send }) => {
    expect((await send("GET", "/api/v1/health/settings")).body.data).toEqual(defaultHealthSettings);
  },

  "PUT /api/v1/health/settings": async ({ send, runJobs }) => {
    const tiers = { healthy: 1, attention: 0.9, at_risk: 0.8 };
    const { status } = await send("PUT", "/api/v1/health/settings", { ...defaultHealthSettings, tiers });
    expect(status).toBe(200);
    await runJobs();
  },

  "POST /api/v1/health/preview": async ({ send }) => {
    const { tiers } = (await send("POST", "/api/v1/health/preview", defaultHealthSettings)).body.data;
    const sum = (name: string) => tiers.reduce((total: number, tier: Body) => total + Number(tier[name]), 0);
    expect([sum("accounts"), sum("mrr")]).toEqual([1, 7]);
  },

  "GET /api/v1/events": async ({ send, mine, theirs }) => {
    for (const query of ["", "?event=login", "?from=2026-01-01&to=2026-12-31", "?cursor="]) {
      const { data, pagination } = (await send("GET", `/api/v1/events${query}`)).body;
      const owners = data.map(({ accountId, externalId }: Body) => accountId ?? externalId);
      expect([query, owners]).toEqual([query, [mine.account, "waiting for mine"]]);
      expect(pagination.nextCursor).toBe(null);
    }
    await sameAsMissing((id) => send("GET", `/api/v1/events?accountId=${id}&`), theirs.account, missing, 200);
  },

  "GET /api/v1/events.jsonl": async ({ send, theirs }) => {
    const { text } = await send("GET", "/api/v1/events.jsonl");
    expect(text.trimEnd().split("\n")).toHaveLength(2);
    expect(text).not.toContain("theirs");
    expect((await send("GET", `/api/v1/events.jsonl?accountId=${theirs.account}`)).text).toBe("");
  },

  "GET /api/v1/events/unmatched": async ({ send }) => {
    for (const query of ["", "?search=waiting", "?sortBy=count"]) {
      const { data, pagination } = (await send("GET", `/api/v1/events/unmatched${query}`)).body;
      const ids = data.map(({ externalId }: Body) => externalId);
      expect([query, ids, pagination.total]).toEqual([query, ["waiting for mine"], 1]);
    }
  },

  "GET /api/v1/contacts/user/:userId": async ({ send, theirs, mine }) => {
    await sameAsMissing((userId) => send("GET", `/api/v1/contacts/user/${userId}`), "of theirs", nobody);
    // Both organizations have a contact with this user id.
    expect((await send("GET", "/api/v1/contacts/user/shared")).body.data.id).toBe(mine.contacts);
    expect(mine.contacts).not.toBe(theirs.contacts);
  },

  "POST /api/v1/events": async (world) => {
    await acceptsNothingForThem(world, "/api/v1/events", (account, messageId) => ({
      events: [{ event: "login", messageId, ...account }],
    }));
    const { send, theirs } = world;
    const byId = (accountId: number) => send("POST", "/api/v1/events", { event: "login", accountId });
    await sameAsMissing(byId, theirs.account, missing, 200);
    expect((await byId(theirs.account)).body.data).toMatchObject({ accepted: 0, parked: 0, rejected: 1 });
  },

  "POST /api/v1/erasures": async ({ send, rowsOf }) => {
    const erase = (body: Body) => send("POST", "/api/v1/erasures", body);
    const before = await rowsOf("mine");
    await sameAsMissing((address) => erase({ email: address }), "theirs@x.io", "nobody@x.io", 200);
    await sameAsMissing((userId) => erase({ userId }), "user of theirs", nobody, 200);
    expect(await rowsOf("mine")).toBe(before);
    // Both organizations have a contact with this address.
    expect((await erase({ email: "ada@x.io" })).body.data).toMatchObject({ contacts: 1, events: 0 });
  },

  "POST /api/v1/last-seen": async ({ send, theirs, rowsOf }) => {
    const sendItem = (seen: Body) => {
      const item = { ...seen, source: "platform", lastSeenAt: "2026-01-02T03:00:00Z" };
      return send("POST", "/api/v1/last-seen", { items: [item] });
    };
    const before = await rowsOf("mine");
    await sameAsMissing((accountId) => sendItem({ accountId }), theirs.account, missing, 200);
    await sameAsMissing((externalId) => sendItem({ externalId }), "theirs", nobody, 200);
    await sameAsMissing((contactEmail) => sendItem({ contactEmail }), "theirs@x.io", "nobody@x.io", 200);
    expect(await rowsOf("mine")).toBe(before);
    // Both organizations have a contact with this address.
    expect((await sendItem({ contactEmail: "ada@x.io" })).body.data).toEqual({
      accepted: 1,
      rejected: 0,
      items: [],
    });
  },
};

function batchCase(path: string): Case {
  return (world) =>
    acceptsNothingForThem(world, path, ({ externalId }, messageId) => ({
      batch: [{ type: "track", event: "login", messageId, context: { groupId: externalId } }],
    }));
}

/** A call of another type has traits, which are stored in the caller's organization only. */
function callCase(path: string, type: string): Case {
  if (type === "track")
    return (world) =>
      acceptsNothingForThem(world, path, ({ externalId }, messageId) => ({
        event: "login",
        messageId,
        context: { groupId: externalId },
      }));
  return async ({ send, storeTraits, rowsOf }) => {
    await storeTraits("mine");
    const traits = { name: "Renamed", email: "theirs@x.io" };
    const call = (id: string) => ({ groupId: id, userId: id, traits });
    const before = await rowsOf("mine");
    const hasTraits = type === "group" || type === "identify";
    for (const id of ["theirs", "mine"]) {
      // The group of the other organization is none here: its person is pending.
      const parked = type === "identify" && id === "theirs" ? 1 : 0;
      const counts = { accepted: 0, duplicates: 0, parked, rejected: 0, ignored: 1 - parked };
      expect((await send("POST", path, call(id))).body.data).toMatchObject(counts);
    }
    expect((await rowsOf("mine")) !== before).toBe(hasTraits);
  };
}

/** An event for an account of the other organization is pending. Message ids of the other organization are no duplicates. */
async function acceptsNothingForThem(
  { send }: IsolationWorld,
  path: string,
  bodyOf: (account: { externalId: string }, messageId: string) => Body,
): Promise<void> {
  const sendEvent = (externalId: string, messageId: string) =>
    send("POST", path, bodyOf({ externalId }, messageId));
  await sameAsMissing((externalId) => sendEvent(externalId, `new ${externalId}`), "theirs", nobody, 200);
  const { data } = (await sendEvent("mine", "message of theirs")).body;
  expect(data).toMatchObject({ accepted: 1, duplicates: 0, parked: 0, rejected: 0, items: [] });
}
