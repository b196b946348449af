import { expect, test } from "bun:test";
import { rowDatabase, type Values } from "./valid-rows.ts";

const { client, insert, tryInsert } = await rowDatabase();

test("an account without a score has the rank after all scores", () => {
  client.run("BEGIN");
  insert("accounts", { id: 99 });
  const row = client.query("SELECT score, tier, coverage, rank, score_stale_at FROM accounts WHERE id = 99");
  expect(row.get()).toEqual({ score: null, tier: null, coverage: 0, rank: 101, score_stale_at: null });
  client.run("ROLLBACK");
});

test.each([
  ["an organization without a name", "organizations", { name: "" }],
  ["a key whose hash has another length", "api_keys", { hash: "ab" }],
  ["a key whose last four are five", "api_keys", { last_four: "vwxyz" }],
  ["an account without a name", "accounts", { name: "" }],
  ["an account with an empty external id", "accounts", { external_id: "" }],
  ["an account that changed before it was created", "accounts", { updated_at: 4 }],
  ["an account with a score below 0", "accounts", { score: -0.1, tier: "critical" }],
  ["an account with a score above 100", "accounts", { score: 100.1, tier: "healthy" }],
  ["an account with a score and no tier", "accounts", { score: 50 }],
  ["an account with a tier and no score", "accounts", { tier: "healthy" }],
  ["an account with a coverage below 0", "accounts", { coverage: -0.1 }],
  ["an account with a coverage above 1", "accounts", { coverage: 1.1 }],
  ["a negative count", "account_counts", { count: -1 }],
  ["a contact without a name", "contacts", { name: "" }],
  ["a contact with an empty external id", "contacts", { external_id: "" }],
  ["a contact with an empty e-mail address", "contacts", { email: "", folded_email: "" }],
  ["a contact whose e-mail address is not folded", "contacts", { email: "ada@x.io" }],
  ["a contact with the folded form of no e-mail address", "contacts", { folded_email: "ada@x.io" }],
  ["a contact that changed before it was created", "contacts", { updated_at: 4 }],
  ["a meeting that ends before it begins", "meetings", { start_at: 2 }],
  ["a meeting with an empty external id", "meetings", { external_id: "" }],
  ["a meeting that changed before it was created", "meetings", { updated_at: 4 }],
  ["a request less severe than 1", "requests", { severity: 0 }],
  ["a request more severe than 5", "requests", { severity: 6 }],
  ["a request with an empty external id", "requests", { external_id: "" }],
  ["a request that changed before it was created", "requests", { updated_at: 4 }],
  ["a request that is Done and not resolved", "requests", { status: "Done" }],
  ["a request that is Declined and not resolved", "requests", { status: "Declined" }],
  ["an open request that is resolved", "requests", { resolved_at: 5 }],
  ["a planned request that is resolved", "requests", { status: "Planned", resolved_at: 5 }],
  ["a started request that is resolved", "requests", { status: "Started", resolved_at: 5 }],
  ["an event without a name", "events", { event: "" }],
  ["an event with an empty external id", "events", { external_id: "" }],
  ["an event with an empty message id", "events", { message_id: "" }],
  ["an event with an empty user id", "events", { user_id: "" }],
  ["an event of an account that is pending", "events", { account_id: 1, external_id: "x" }],
  ["an empty external id of pending events", "unmatched_ids", { external_id: "" }],
  ["an external id of no pending events", "unmatched_ids", { count: 0 }],
  ["pending events whose last is before the first", "unmatched_ids", { last_at: 0 }],
  ["an attachment of an empty external id", "attachments", { external_id: "" }],
  ["an attachment of no events", "attachments", { count: 0 }],
  ["usage of an event without a name", "usage_days", { event: "" }],
  ["usage of no events", "usage_days", { count: 0 }],
  ["usage by a negative number of users", "usage_days", { users: -1 }],
  ["usage by more users than events", "usage_days", { users: 3 }],
  ["usage by a user without an id", "usage_days", { first_user: "" }],
  ["usage whose last event is before the first", "usage_days", { last_at: 0 }],
  ["a further user without an id", "usage_users", { user_id: "" }],
  ["a platform without a name", "last_seen", { source: "" }],
  ["a change before the first", "changes", { sequence: 0 }],
])("the database rejects %s", (_, table, changed: Values) => {
  expect(() => tryInsert(table, changed)).toThrow("CHECK constraint failed");
});
