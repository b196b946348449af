import { expect, test } from "bun:test";
import { readFeed } from "../../src/changes/list.ts";
import { presentSlackMessage } from "../../src/changes/slack-message.ts";
import { changeWorld } from "./change-world.ts";
import { recordedWorld } from "./recorded-world.ts";

type World = Awaited<ReturnType<typeof changeWorld>>;

/** The messages of all changes after a sequence number, with their types. */
async function messagesOf({ tenant }: World, after: number, accountName: string | null = "Acme") {
  const { rows } = await tenant().read((snapshot) =>
    readFeed(snapshot, { after, limit: 1_000 }, (row) => ({
      type: `${row.resource}.${row.action}`,
      ...presentSlackMessage(row, accountName),
    })),
  );
  return rows.texts.map((text): { type: string; text: string } => JSON.parse(text));
}

/** Appends a change, with the other columns of the first one. */
async function insertChange(
  { execute }: World,
  { action, resource = "account", before = {}, after = {} }: Stored,
) {
  const columns =
    "organization_id, resource_id, account_id, changed_at, actor_type, key_id, key_name, request_id";
  const [old, updated] = [before, after].map((side) => `'${JSON.stringify(side).replaceAll("'", "''")}'`);
  await execute(`INSERT INTO changes (sequence, resource, action, before, after, ${columns})
    SELECT (SELECT max(sequence) + 1 FROM changes), '${resource}', '${action}', ${old}, ${updated}, ${columns} FROM changes WHERE sequence = 1`);
}
type Stored = { action: string; resource?: string; before?: object; after?: object };

test("each type of a change is a sentence with the account in bold", async () => {
  const here = await recordedWorld();
  await here.send("PATCH", "/api/v1/accounts/1", {
    mrr: 1250.5,
    status: "churned",
    attributes: { renewalDate: "2026-05-01", seats: 5 },
  });
  await here.send("PATCH", "/api/v1/contacts/1", { email: null });
  await here.send("PATCH", "/api/v1/meetings/1", { startAt: "2026-01-01T09:30:00Z" });
  await here.send("PATCH", "/api/v1/requests/1", { status: "Done", title: "Single sign-on" });
  for (const noun of ["contact", "meeting", "request"]) await here.send("DELETE", `/api/v1/${noun}s/1`);
  await here.send("DELETE", "/api/v1/accounts/1");
  const tiers = [
    [
      { tier: "healthy", score: 82.5 },
      { tier: "at_risk", score: 35 },
    ],
    [
      { tier: null, score: null },
      { tier: "critical", score: 0 },
    ],
    [
      { tier: "attention", score: 60 },
      { tier: null, score: null },
    ],
  ] as const;
  for (const [before, after] of tiers) await insertChange(here, { action: "health_changed", before, after });
  await insertChange(here, { resource: "health_settings", action: "updated" });
  const messages = await messagesOf(here, 0);
  expect(messages.map(({ text }) => text)).toEqual([
    "New account *Acme*",
    "New account *Acme*",
    "New contact Ada at *Acme*",
    "New meeting Kickoff with *Acme* (Start 2026-01-01 10:00 UTC)",
    "New request SSO of *Acme* (Severity 3)",
    "*Acme*: MRR 0 → 1,250.5, Status active → churned, Renewal date none → 2026-05-01, Seats none → 5",
    "Contact 1 at *Acme*: E-mail ada@x.io → none",
    "Meeting 1 with *Acme*: Start 2026-01-01 10:00 UTC → 2026-01-01 09:30 UTC",
    "Request Single sign-on of *Acme*: Title SSO → Single sign-on, Status Open → Done, Resolved none → 2026-01-02 04:04 UTC",
    "Contact Ada at *Acme* was deleted",
    "Meeting Kickoff with *Acme* was deleted",
    "Request Single sign-on of *Acme* was deleted",
    "Account *Acme* was deleted",
    "*Acme* moved from healthy to at risk (score 35, was 82.5)",
    "*Acme* has its first score: critical (score 0)",
    "*Acme* has no score any more (was attention, score 60)",
    "The health settings changed",
  ]);
  const { schemas } = (await here.call("GET", "/docs/json", undefined, { key: null })).body.components;
  expect([...new Set(messages.map(({ type }) => type))].toSorted()).toEqual(
    schemas.ChangeType.enum.toSorted(),
  );
});

test("without a name of the account, the message has the name in the change or the id", async () => {
  const here = await recordedWorld();
  await here.send("PATCH", "/api/v1/accounts/1", { mrr: 5 });
  expect((await messagesOf(here, 2, null)).map(({ text }) => text)).toEqual([
    "New contact Ada at *account 1*",
    "New meeting Kickoff with *account 1* (Start 2026-01-01 10:00 UTC)",
    "New request SSO of *account 1* (Severity 3)",
    "*account 1*: MRR 0 → 5",
  ]);
  expect((await messagesOf(here, 0, null))[0]?.text).toBe("New account *Acme*");
});

const odd = [
  ["<!here> & <https://x.io|y>", "&lt;!here&gt; &amp; &lt;https://x.io|y&gt;"],
  ["@channel (@here) mail@here.io", "@\u200bchannel (@\u200bhere) mail@here.io"],
  ["*bold* `code` ~gone~", "∗bold∗ ˋcodeˋ ∼gone∼"],
  ["two\nlines\u0000\u202eand \u2028 more ", "two lines and more"],
  [" \n", "blank"],
  ["😀".repeat(100), `${"😀".repeat(79)}…`],
] as const;
test.each(odd)("a name such as %j is shown, and mentions nobody", async (name, shown) => {
  const here = await changeWorld();
  await here.send("POST", "/api/v1/accounts", { name: "Acme" });
  await insertChange(here, { resource: "contact", action: "created", after: { name } });
  await insertChange(here, { action: "updated", before: { name }, after: { name: "x" } });
  expect((await messagesOf(here, 1, name)).map(({ text }) => text)).toEqual([
    `New contact ${shown} at *${shown}*`,
    `*${shown}*: Name ${shown} → x`,
  ]);
});

test("a message has at most 3,000 characters, and values of any kind", async () => {
  const here = await changeWorld();
  await here.send("POST", "/api/v1/accounts", { name: "Acme" });
  const attributes = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`key${i}`, "<".repeat(500)]));
  await insertChange(here, {
    action: "updated",
    before: { attributes: {} },
    after: { attributes },
  });
  const values = { a: 1e300, b: 0.1 + 0.2, c: 1e-9, d: true, e: "", f: null, constructor: "x" };
  const others = { a: -0, b: -1234.5, d: false };
  await insertChange(here, {
    action: "updated",
    before: { attributes: others },
    after: { attributes: values },
  });
  await insertChange(here, { action: "updated", before: {}, after: {} });
  const [long, ...texts] = (await messagesOf(here, 1)).map(({ text }) => text);
  expect(long?.length).toBeLessThanOrEqual(3_000);
  expect(long).toMatch(/^\*Acme\*: Key0 none → (?:&lt;){79}…, Key1 .* and 5\d more$/);
  expect(texts).toEqual([
    "*Acme*: A 0 → 1e+300, B -1,234.5 → 0.3, C none → 1e-9, D no → yes, E none → empty, F none → none, Constructor none → x",
    "*Acme* changed",
  ]);
});
