import { expect, test } from "bun:test";
import { setOrganizationTraits } from "../../src/organizations/settings.ts";
import { contactWorld } from "../resources/sub-resource-world.ts";
import { storeKey } from "../support/keys.ts";
import { type Body, beginningText } from "../support/world.ts";

const plain = "info@strasse.example";
const sharp = "info@straße.example";
const unicode = "info@müller.de";
const punycode = "info@xn--mller-kva.de";

/** A world with a key that may erase, and functions that present all contacts and contacts by a filter. */
async function addressWorld() {
  const here = await contactWorld();
  const { engine, first, call } = here;
  await setOrganizationTraits(engine, first.id, true);
  const options = { organizationId: first.id, name: "admin", expiresAt: null };
  const { secret } = await storeKey(engine, { ...options, scopes: ["admin", "write", "events", "read"] });
  const send = async (method: string, path: string, body?: Body) => {
    const reply = await call(method, path, body, { key: secret });
    if (reply.status >= 300) throw new Error(reply.text);
    return reply.body.data;
  };
  const idsOf = async (query: string): Promise<number[]> =>
    (await send("GET", `/api/v1/contacts?sortBy=createdAt&${query}`)).map(({ id }: Body) => id);
  const contacts = async () =>
    (await send("GET", "/api/v1/contacts?sortBy=createdAt")).map(({ id, name, email, lastSeenAt }: Body) => ({
      ...{ id, name, email, lastSeenAt },
    }));
  return { ...here, send, idsOf, contacts };
}

/** Two contacts of an account, of which the second one shares its address since an upgrade. */
async function sharedWorld() {
  const here = await addressWorld();
  const { contact, execute } = here;
  await contact({ name: "One", email: punycode });
  await contact({ name: "Two", email: "two@x.io", externalId: "two" });
  await execute(`UPDATE contacts SET email = '${unicode}', folded_email = '${punycode} 2' WHERE id = 2`);
  return here;
}

test("identify, last-seen, a batch, a filter and an erasure by one of two such addresses leave the other contact", async () => {
  const { contact, contacts, send, idsOf, pass } = await addressWorld();
  const one = { id: 1, name: "One", email: plain, lastSeenAt: null };
  await contact({ name: "One", email: plain });
  await contact({ name: "Two", email: sharp });
  await send("PUT", "/api/v1/accounts/external/acme", { name: "Acme" });
  await send("PATCH", "/api/v1/accounts/1", { externalId: "first" });
  const upper = "INFO@STRAẞE.example";
  pass(1);
  await send("POST", "/v1/identify", {
    userId: "u2",
    traits: { name: "Identified", email: upper },
    context: { groupId: "first" },
  });
  expect(await contacts()).toEqual([one, { id: 2, name: "Identified", email: upper, lastSeenAt: null }]);
  const items = [{ contactEmail: sharp, source: "crm", lastSeenAt: beginningText }];
  await send("POST", "/api/v1/last-seen", { items });
  expect(await contacts()).toMatchObject([one, { lastSeenAt: beginningText }]);
  const accounts = [{ externalId: "first", name: "Acme", contacts: [{ name: "Sent", email: sharp }] }];
  await send("POST", "/api/v1/accounts/batch", { accounts });
  expect(await contacts()).toMatchObject([one, { id: 2, name: "Sent" }]);
  expect(await idsOf(`email=${encodeURIComponent(sharp)}`)).toEqual([2]);
  expect(await idsOf(`email[in]=${plain}`)).toEqual([1]);
  expect(await send("POST", "/api/v1/erasures", { email: sharp })).toMatchObject({ contacts: 1 });
  expect(await contacts()).toEqual([one]);
});

test("an international domain and its punycode are one address: conflict, filter, last-seen and erasure", async () => {
  const { contact, contacts, create, send, idsOf } = await addressWorld();
  await contact({ name: "One", email: unicode });
  expect((await create({ name: "Two", email: punycode })).body.code).toBe("contact_email_conflict");
  for (const email of [unicode, punycode.toUpperCase(), "INFO@MÜLLER.DE"]) {
    expect(await idsOf(`email=${encodeURIComponent(email)}`)).toEqual([1]);
    expect(await idsOf(`email[in]=${encodeURIComponent(email)}`)).toEqual([1]);
  }
  const items = [{ contactEmail: punycode, source: "crm", lastSeenAt: beginningText }];
  await send("POST", "/api/v1/last-seen", { items });
  expect(await contacts()).toMatchObject([{ email: unicode, lastSeenAt: beginningText }]);
  expect(await send("POST", "/api/v1/erasures", { email: punycode })).toMatchObject({ contacts: 1 });
  expect(await contacts()).toEqual([]);
});

test("search finds an address by a part of its local part, and by whole labels of its domain in both forms", async () => {
  const { contact, idsOf } = await addressWorld();
  await contact({ name: "One", email: "Straße@MÜLLER.de" });
  await contact({ name: "Straße", email: plain });
  const search = (text: string) => idsOf(`search=${encodeURIComponent(text)}`);
  for (const text of ["müller", "@Müller.de", "xn--mller-kva.de", "straße@müller.DE"])
    expect([text, await search(text)]).toEqual([text, [1]]);
  expect(await search("STRAẞE")).toEqual([1, 2]);
  expect(await search("strasse")).toEqual([2]);
});

test("contacts that share an address since an upgrade are all found by the filter, last-seen and erasures", async () => {
  const { contacts, send, idsOf } = await sharedWorld();
  for (const email of [unicode, punycode]) {
    expect(await idsOf(`email=${encodeURIComponent(email)}`)).toEqual([1, 2]);
    expect(await idsOf(`accountId=1&email=${encodeURIComponent(email)}`)).toEqual([1, 2]);
    expect(await idsOf(`email[in]=a@x.io,${encodeURIComponent(email)}`)).toEqual([1, 2]);
  }
  expect(await idsOf(`email=${encodeURIComponent("info@müller")}`)).toEqual([]);
  const items = [{ contactEmail: unicode, source: "crm", lastSeenAt: beginningText }];
  await send("POST", "/api/v1/last-seen", { items });
  expect(await contacts()).toMatchObject([{ lastSeenAt: beginningText }, { lastSeenAt: beginningText }]);
  expect(await send("POST", "/api/v1/erasures?dryRun=true", { email: unicode })).toMatchObject({
    contacts: 2,
  });
  expect(await send("POST", "/api/v1/erasures", { email: unicode })).toMatchObject({ contacts: 2 });
  expect(await contacts()).toEqual([]);
});

test("a batch finds the contact that has the shared address, also after one with its externalId was updated", async () => {
  const { contacts, send } = await sharedWorld();
  await send("PATCH", "/api/v1/accounts/1", { externalId: "first" });
  const accounts = [
    {
      externalId: "first",
      contacts: [
        { externalId: "two", name: "Second", email: "second@x.io" },
        { email: unicode, name: "First" },
      ],
    },
  ];
  const { results } = await send("POST", "/api/v1/accounts/batch", { accounts });
  expect(results).toEqual([{ id: 1, result: "updated" }]);
  expect(await contacts()).toMatchObject([
    { id: 1, name: "First" },
    { id: 2, name: "Second", email: "second@x.io" },
  ]);
});

test("a contact that shares an address keeps it until its address changes: then it is unique", async () => {
  const { patch, remove, rows } = await sharedWorld();
  const folded = async () => (await rows("SELECT folded_email FROM contacts ORDER BY id")) as unknown;
  expect((await patch(2, { name: "Renamed" })).status).toBe(200);
  expect(await folded()).toEqual([{ folded_email: punycode }, { folded_email: `${punycode} 2` }]);
  expect((await patch(2, { email: "INFO@müller.de" })).body.code).toBe("contact_email_conflict");
  await remove(1);
  expect((await patch(2, { email: "INFO@müller.de" })).status).toBe(200);
  expect(await folded()).toEqual([{ folded_email: punycode }]);
});

test("a filter by an address with a blank is rejected: it is a plus that was not encoded", async () => {
  const { contact, call, idsOf } = await addressWorld();
  await contact({ name: "Ada", email: "ada+news@x.io" });
  expect(await idsOf("email=ada%2Bnews@x.io")).toEqual([1]);
  expect(await idsOf("email[in]=bob@x.io,ada%2Bnews@x.io")).toEqual([1]);
  expect(await idsOf("email=none")).toEqual([]);
  for (const [parameter, value] of [
    ["email", "ada+news@x.io"],
    ["email", "ada%20news@x.io"],
    ["email", "+ada@x.io"],
    ["email", "ada@x.io%09"],
    ["email[in]", "bob@x.io,ada+news@x.io"],
    ["email%5Bin%5D", "none,ada%20@x.io"],
  ])
    for (const path of ["/api/v1/contacts", "/api/v1/accounts/1/contacts"]) {
      const { status, body } = await call("GET", `${path}?${parameter}=${value}`);
      const name = decodeURIComponent(String(parameter));
      const detail = "must have no blank; write + as %2B in a URL";
      expect([value, status, body.code, body.errors]).toEqual([
        value,
        400,
        "invalid_request",
        [{ parameter: name, code: "invalid_email", detail }],
      ]);
    }
  // A search can have blanks.
  expect(await idsOf("search=ada+news")).toEqual([]);
});
