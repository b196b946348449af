import { expect, test } from "bun:test";
import { runDueJobs } from "../../src/jobs/scheduler.ts";
import { group, identify, traitsWorld } from "../ingest/traits-world.ts";
import { operatorOf } from "../support/operator.ts";
import type { Body } from "../support/world.ts";

const ada = { name: "Ada Lovelace", email: "Ada@x.example" };
const bob = { name: "Bob", email: "bob@x.example" };

/** A world with a day of two users at two accounts. Ada is also a contact of the other account, and a pending user. */
async function offboardingWorld() {
  const here = await traitsWorld();
  const track = (userId: string, i: number) => ({
    ...{ type: "track", event: "opened", userId, messageId: `${userId}-${i}`, context: { groupId: "acme" } },
  });
  const day: Body[] = [
    { ...identify("u1", { ...ada, role: "cto" }, "acme"), messageId: "u1:identify" },
    { ...identify("u2", bob, "acme"), messageId: "m-u2" },
    { ...identify("web-7", { email: ada.email, phone: "+43 1 zq555" }, "unknown"), messageId: "web-7" },
    { ...group("acme", { plan: "pro" }), userId: "u1", messageId: "u1 group" },
    ...["u1", "u2", "ada@x.example"].flatMap((userId) => [0, 1, 2].map((i) => track(userId, i))),
  ];
  await here.batch(...day);
  await here.call("POST", "/api/v1/accounts/2/contacts", { ...ada, name: "A. Lovelace" });
  await runDueJobs(here);
  const text = async (path: string) => (await here.call("GET", `/api/v1/${path}`)).text;
  return {
    ...here,
    day,
    erase: async (person: Body, query = "") =>
      (await here.call("POST", `/api/v1/erasures${query}`, person)).body.data,
    /** Everything that a reader of the organization can see. */
    visible: async () =>
      (
        await Promise.all([
          ...["contacts", "accounts.jsonl", "changes?limit=1000", "accounts/1/history", "usage"].map(text),
        ])
      ).join("\n"),
  };
}

for (const person of [
  { userId: "u1" },
  { email: "ada@X.example" },
  { userId: "web-7" },
  { userId: "u1", ...ada },
])
  test(`a person leaves and returns: erased by ${Object.keys(person)} ${Object.values(person)[0]}`, async () => {
    const here = await offboardingWorld();
    const usage = await here.usage();
    const expected = { contacts: 3, events: 6, usageUsers: 2 };
    const dryRun = await here.erase(person, "?dryRun=true");
    expect(dryRun).toMatchObject(expected);
    expect(await here.erase(person)).toEqual(dryRun);
    expect(await here.erase(person)).toMatchObject({ contacts: 0, events: 0, usageUsers: 0, changes: 0 });

    const left = await here.visible();
    for (const value of ["lovelace", "ada@x.example", "u1", "web-7", "zq555"])
      expect(left.toLowerCase()).not.toContain(value);
    expect(left).toContain("bob@x.example");
    expect(await here.usage()).toEqual(usage);

    // A replay of the day does not bring the person back, and counts nothing again.
    expect(await here.batch(...here.day)).toMatchObject({
      duplicates: here.day.length,
      accepted: 0,
      traits: 0,
    });
    await here.account({ name: "Unknown", externalId: "unknown" });
    expect(await here.contacts()).toEqual([{ accountId: 1, userId: "u2", ...bob }]);
    expect(await here.usage()).toEqual(usage);

    // The person returns by an import, as a new contact of the same ids.
    const row = { accountExternalId: "acme", externalId: "u1", ...ada };
    const { importRows } = operatorOf(here.engine);
    expect(await importRows(here.first.id, "contacts", [row])).toEqual([{ result: "created" }]);
    here.pass(1_000);
    await here.batch({ ...identify("u1", { role: "advisor" }), messageId: "u1:identify:2" });
    const { data } = (await here.call("GET", "/api/v1/contacts/user/u1")).body;
    expect(data).toMatchObject({ accountId: 1, ...ada, attributes: { role: "advisor" } });
  });

test("an erasure leaves the pending traits of other users and of groups", async () => {
  const here = await offboardingWorld();
  await here.batch(identify("u9", { name: "Nine" }, "unknown"), group("unknown", { plan: "free" }));
  await here.erase({ userId: "u1" });
  await here.account({ name: "Unknown", externalId: "unknown" });
  await here.runJobs();
  expect(await here.contacts()).toMatchObject([{ userId: "u2" }, { userId: "u9" }]);
  expect(await here.attributesOf("unknown")).toEqual({ plan: "free" });
});

test("the messageId of a call without a user id is hashed with the address", async () => {
  const here = await offboardingWorld();
  const call = { ...identify(undefined, { email: "zed@x.example" }, "acme"), messageId: "zed@x.example-1" };
  await here.batch(call);
  await here.erase({ email: "zed@x.example" });
  expect(JSON.stringify(await here.rows("SELECT message_id FROM events"))).not.toContain("zed@");
  expect(await here.batch(call)).toMatchObject({ duplicates: 1 });
});

test("an expired event whose name is that of a call counts as an event", async () => {
  const here = await offboardingWorld();
  await here.send([{ event: "identify", externalId: "nobody", userId: "u1" }]);
  here.pass(31 * 86_400_000);
  await here.runJobs();
  expect(await here.erase({ userId: "u1" }, "?dryRun=true")).toMatchObject({ events: 7 });
});
