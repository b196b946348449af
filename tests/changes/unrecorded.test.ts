import { expect, test } from "bun:test";
import { runDueJobs } from "../../src/jobs/scheduler.ts";
import { type Body, beginningText } from "../support/world.ts";
import { changeWorld, day } from "./change-world.ts";

const account = "/api/v1/accounts/1";
const times = { startAt: "2026-01-01T10:00:00.000Z", endAt: "2026-01-01T11:00:00.000Z" };

/** Account 1 with one row of each sub-resource, and account 2 with the tier attention: eight changes. */
async function fullWorld() {
  const here = await changeWorld();
  await here.send("POST", "/api/v1/accounts", { name: "Acme", externalId: "acme" });
  await here.send("POST", "/api/v1/accounts", { name: "Globex", externalId: "globex" });
  await here.send("POST", `${account}/contacts`, { name: "Ada", email: "ada@x.io", externalId: "x" });
  await here.send("POST", `${account}/meetings`, { title: "Kickoff", externalId: "x", ...times });
  await here.send("POST", `${account}/requests`, { title: "SSO", externalId: "x" });
  await here.send("PATCH", "/api/v1/accounts/2", { contactActivityAt: beginningText });
  here.pass(3 * day);
  await runDueJobs(here);
  here.pass(1_000);
  return here;
}
type World = Awaited<ReturnType<typeof fullWorld>>;

const equal: [string, string, Body][] = [
  ["PATCH", account, { name: "Acme", mrr: 0, status: "active", externalId: "acme", logoUrl: null }],
  ["PATCH", "/api/v1/accounts/external/acme", { contactActivityAt: null }],
  ["PUT", "/api/v1/accounts/external/acme", { name: "Acme" }],
  ["PUT", "/api/v1/accounts/external/acme", {}],
  ["PATCH", "/api/v1/contacts/1", { name: "Ada", email: "ada@x.io", externalId: "x" }],
  ["PUT", "/api/v1/contacts/external/x", { accountId: 1, name: "Ada" }],
  ["PATCH", "/api/v1/meetings/1", { title: "Kickoff", ...times }],
  ["PUT", "/api/v1/meetings/external/x", { accountExternalId: "acme" }],
  ["PATCH", "/api/v1/requests/1", { status: "Open", severity: 3 }],
  ["PUT", "/api/v1/requests/external/x", {}],
];
test("an update that changes nothing records nothing", async () => {
  const here = await fullWorld();
  for (const [method, path, body] of equal)
    expect([method, path, body, await here.recordedBy(() => here.send(method, path, body))]).toEqual([
      ...[method, path, body, []],
    ]);
});

const failing: [number, string, string, Body?][] = [
  [400, "POST", "/api/v1/accounts", { name: "" }],
  [409, "POST", "/api/v1/accounts", { name: "New", externalId: "acme" }],
  [400, "PATCH", account, { mrr: 1, contactActivityAt: "2030-01-01" }],
  [409, "PATCH", account, { mrr: 1, externalId: "globex" }],
  [404, "PATCH", "/api/v1/accounts/99", { mrr: 1 }],
  [404, "PATCH", "/api/v1/accounts/external/nobody", { mrr: 1 }],
  [400, "PUT", "/api/v1/accounts/external/new", {}],
  [404, "DELETE", "/api/v1/accounts/99"],
  [404, "DELETE", "/api/v1/accounts/external/nobody"],
  [409, "POST", `${account}/contacts`, { name: "Bob", email: "ADA@x.io" }],
  [404, "POST", "/api/v1/accounts/99/contacts", { name: "Bob" }],
  [400, "PATCH", "/api/v1/meetings/1", { title: "Review", endAt: "2025-01-01" }],
  [404, "PUT", "/api/v1/meetings/external/x", { title: "Review", accountId: 99 }],
  [400, "PATCH", "/api/v1/requests/1", { title: "SCIM", requestedAt: "2030-01-01" }],
  [404, "DELETE", "/api/v1/requests/99"],
];
test("a change that is rejected records nothing, and the next change has the next sequence number", async () => {
  const here = await fullWorld();
  for (const [status, method, path, body] of failing)
    expect([method, path, body, (await here.call(method, path, body)).status]).toEqual([
      ...[method, path, body, status],
    ]);
  expect(await here.changes()).toHaveLength(8);
  const [next] = await here.recordedBy(() => here.send("PATCH", account, { name: "Acme Inc." }));
  expect(next).toMatchObject({ sequence: 9, type: "account.updated" });
});

const others: [string, (here: World) => Promise<unknown>][] = [
  [
    "events",
    (here) =>
      here.send("POST", "/api/v1/events", {
        events: [
          { event: "read", externalId: "globex", userId: "u" },
          { event: "read", externalId: "nobody" },
        ],
      }),
  ],
  [
    "a batch from Segment",
    (here) =>
      here.send("POST", "/v1/batch", {
        batch: [{ type: "track", event: "read", context: { groupId: "acme" } }],
      }),
  ],
  [
    "last-seen timestamps",
    async (here) => {
      const lastSeenAt = "2026-01-02T03:00:00.000Z";
      const items = [{ contactEmail: "ada@x.io" }, { externalId: "acme" }];
      const seen = items.map((item) => ({ ...item, source: "crm", lastSeenAt }));
      expect(await here.send("POST", "/api/v1/last-seen", { items: seen })).toMatchObject({ accepted: 2 });
      expect(await here.send("GET", "/api/v1/contacts/1")).toMatchObject({ lastSeenAt });
    },
  ],
  [
    "a score that stays in its tier",
    async (here) => {
      const scored = async () =>
        (await here.send("GET", "/api/v1/health")).find(({ accountId }: Body) => accountId === 2);
      expect(await scored()).toMatchObject({ accountId: 2, score: 74.5, tier: "attention" });
      here.pass(4 * day);
      await runDueJobs(here);
      expect(await scored()).toMatchObject({ accountId: 2, score: 63.6, tier: "attention" });
    },
  ],
  [
    "reads",
    async (here) => {
      const paths = [
        account,
        `${account}/health`,
        `${account}/usage`,
        `${account}/history`,
        "/api/v1/health",
      ];
      for (const path of [...paths, "/api/v1/health/summary", "/api/v1/events/unmatched"])
        await here.send("GET", path);
    },
  ],
];

test("the change log does not have events, last-seen timestamps, scores of one tier, and reads", async () => {
  for (const [what, run] of others) {
    const here = await fullWorld();
    expect([what, await here.recordedBy(() => run(here))]).toEqual([what, []]);
    expect(await here.changes()).toHaveLength(8);
  }
});
