import { expect, test } from "bun:test";
import { type Body, beginningText } from "../support/world.ts";
import { contactWorld } from "./contact-world.ts";

const laterText = "2026-01-02T03:04:06.678Z";

/** A world with one contact, one second after its creation, and a function that patches it. */
async function worldWithContact(body: Body = { name: "Ada", email: "ada@x.io", externalId: "crm-7" }) {
  const here = await contactWorld();
  const before = await here.contact(body);
  here.pass(1000);
  return { ...here, before, change: (changes: unknown) => here.patch(before.id, changes) };
}

test("PATCH returns 200 and the contact; updatedAt reflects the change", async () => {
  const { change, get, before } = await worldWithContact();
  const reply = await change({ name: "Ada Lovelace", email: "lovelace@x.io", externalId: "crm-8" });
  expect(reply.status).toBe(200);
  expect(reply.body).toEqual({
    data: {
      id: 1,
      accountId: 1,
      externalId: "crm-8",
      name: "Ada Lovelace",
      email: "lovelace@x.io",
      lastSeenAt: null,
      attributes: {},
      createdAt: beginningText,
      updatedAt: laterText,
    },
  });
  expect((await get(before.id)).text).toBe(reply.text);
});

/** Each member absent, with a value, and null, with the status of a null. */
const states: { member: string; value: string; null: number }[] = [
  { member: "name", value: "Other", null: 400 },
  { member: "email", value: "other@x.io", null: 200 },
  { member: "externalId", value: "other", null: 200 },
];
for (const { member, value, null: status } of states) {
  const other = member === "name" ? { email: "third@x.io" } : { name: "Third" };

  test(`PATCH ${member}: absent leaves it unchanged`, async () => {
    const { change, before } = await worldWithContact();
    expect((await change(other)).body).toEqual({ data: { ...before, ...other, updatedAt: laterText } });
  });

  test(`PATCH ${member}: a value sets it`, async () => {
    const { change, get, before } = await worldWithContact();
    const reply = await change({ [member]: value });
    expect(reply.body).toEqual({ data: { ...before, [member]: value, updatedAt: laterText } });
    expect((await get(before.id)).text).toBe(reply.text);
  });

  test(`PATCH ${member}: null is ${status}`, async () => {
    const { change, get, before } = await worldWithContact();
    const reply = await change({ [member]: null });
    expect(reply.status).toBe(status);
    if (status === 400)
      expect(reply.body.errors).toMatchObject([{ pointer: `/${member}`, code: "wrong_type" }]);
    const changed = status === 200 ? { [member]: null, updatedAt: laterText } : {};
    expect((await get(before.id)).body).toEqual({ data: { ...before, ...changed } });
  });
}

test("PATCH externalId: an empty string clears it", async () => {
  const { change } = await worldWithContact();
  expect((await change({ externalId: "" })).body.data.externalId).toBeNull();
});

test("PATCH with a value that POST rejects is 400 and changes nothing", async () => {
  const { change, get, before } = await worldWithContact();
  for (const [member, values] of Object.entries({
    name: ["", " ", "x".repeat(256), 5, {}],
    email: ["ada", `${"a".repeat(250)}@x.io`, 5, {}],
    externalId: ["x".repeat(256), 5, {}],
  }))
    for (const value of values)
      expect((await change({ email: "new@x.io", [member]: value })).body).toMatchObject({
        code: "invalid_request",
        errors: [{ pointer: `/${member}` }],
      });
  expect((await get(before.id)).body.data).toEqual(before);
});

test("PATCH externalId equal to that of another contact of the organization is 409, and changes nothing", async () => {
  const { change, contact, put, account, get, before, second } = await worldWithContact();
  await contact({ name: "Bob", externalId: "bob" }, 2);
  const theirs = await account({ name: "Theirs" }, { key: second.key });
  await put("theirs", { accountId: theirs.id, name: "Theirs" }, { key: second.key });
  const reply = await change({ name: "Changed", externalId: "bob" });
  expect([reply.status, reply.body.code]).toEqual([409, "external_id_conflict"]);
  expect((await get(before.id)).body.data).toEqual(before);
  expect((await change({ externalId: "theirs" })).status).toBe(200);
});

test("PATCH without a valid member is 400 no_valid_fields; read-only members do not count", async () => {
  const { change, get, before } = await worldWithContact();
  for (const body of [{}, { unknown: 1 }, { id: 2, accountId: 2, lastSeenAt: null, updatedAt: laterText }]) {
    const reply = await change(body);
    expect(reply.body).toEqual({
      type: "urn:accountd:problem:no_valid_fields",
      title: "No valid fields",
      status: 400,
      detail:
        "Send at least one of the fields that /docs lists for this operation. With Prefer: handling=strict, the reply names the valid ones.",
      code: "no_valid_fields",
    });
  }
  expect((await get(before.id)).body.data).toEqual(before);
});

test("PATCH ignores unknown and read-only members next to a valid one", async () => {
  const { change, before } = await worldWithContact();
  const ignored = { id: 2, accountId: 2, lastSeenAt: beginningText, createdAt: laterText, extra: [] };
  const { body } = await change({ name: "Other", ...ignored });
  expect(body).toEqual({ data: { ...before, name: "Other", updatedAt: laterText } });
});

test("a PATCH without a change leaves updatedAt", async () => {
  const { change, before } = await worldWithContact();
  const { name, email, externalId } = before;
  for (const body of [{ name }, { email }, { externalId }, { name, email, externalId }])
    expect((await change(body)).body.data).toEqual(before);
});

test("a PATCH with a change strictly increases updatedAt, also within a millisecond", async () => {
  const { change } = await worldWithContact();
  const times: string[] = [];
  for (const name of ["a", "b", "c", "d", "e"]) times.push((await change({ name })).body.data.updatedAt);
  expect(times).toEqual([678, 679, 680, 681, 682].map((ms) => `2026-01-02T03:04:06.${ms}Z`));
});

test("PATCH of a contact that does not exist, or of another organization, is 404 with the same bytes", async () => {
  const { patch, call, account, put, second } = await worldWithContact();
  const options = { key: second.key };
  const theirs = await account({ name: "Theirs" }, options);
  const { id } = (await put("theirs", { accountId: theirs.id, name: "Eve" }, options)).body.data;
  const [missing, foreign] = [await patch(999, { name: "Mine" }), await patch(id, { name: "Mine" })];
  expect([missing.status, missing.body.detail]).toEqual([
    404,
    "There is no contact with this id in your organization.",
  ]);
  expect([foreign.status, foreign.text]).toEqual([404, missing.text]);
  expect((await call("GET", `/api/v1/contacts/${id}`, undefined, options)).body.data.name).toBe("Eve");
});
