import { expect, test } from "bun:test";
import { contactWorld } from "../resources/sub-resource-world.ts";
import { beginningText } from "../support/world.ts";

type Listed = { id: number; name: string };

/** A world with these contacts of account 1, and the names that a query of its list returns. */
async function worldWithList(...contacts: { name: string; email?: string; externalId?: string }[]) {
  const here = await contactWorld();
  for (const contact of contacts) await here.contact(contact);
  const names = async (query: Record<string, string>) => {
    const { data, pagination } = (await here.list(`?${new URLSearchParams(query)}`)).body;
    expect(pagination.total).toBe(data.length);
    return data.map(({ name }: Listed) => name);
  };
  return { ...here, names };
}

test("GET returns a page of the account's contacts, by name", async () => {
  const { list, contact } = await worldWithList(
    { name: "bob", email: "bob@x.io" },
    { name: "Ada", externalId: "a" },
  );
  await contact({ name: "Elsewhere" }, 2);
  const times = { lastSeenAt: null, attributes: {}, createdAt: beginningText, updatedAt: beginningText };
  expect((await list()).body).toEqual({
    data: [
      { id: 2, accountId: 1, externalId: "a", name: "Ada", email: null, ...times },
      { id: 1, accountId: 1, externalId: null, name: "bob", email: "bob@x.io", ...times },
    ],
    pagination: { page: 1, pageSize: 25, total: 2, totalPages: 1, hasNextPage: false, hasPrevPage: false },
  });
});

test("search is a case-folded substring match on name or e-mail address", async () => {
  const { names } = await worldWithList(
    { name: "Ada Lovelace", email: "countess@x.io" },
    { name: "Bob", email: "Ada@y.io" },
    { name: "Eve", externalId: "ada" },
  );
  expect(await names({ search: "ADA" })).toEqual(["Ada Lovelace", "Bob"]);
  expect(await names({ search: "a lo" })).toEqual(["Ada Lovelace"]);
  expect(await names({ search: "@Y." })).toEqual(["Bob"]);
  expect(await names({ search: "lacecountess" })).toEqual([]);
});

test("email is an exact match in any letter case; empty matches nothing", async () => {
  const { names, contact } = await worldWithList({ name: "Ada", email: "Ada@x.io" }, { name: "Bob" });
  await contact({ name: "Elsewhere", email: "ada@x.io" }, 2);
  for (const email of ["Ada@x.io", "ada@x.io", "ADA@X.IO"]) expect(await names({ email })).toEqual(["Ada"]);
  for (const email of ["", "ada@x", "da@x.io", "%@x.io"]) expect(await names({ email })).toEqual([]);
});

test("all filters must match", async () => {
  const { names } = await worldWithList(
    { name: "Ada", email: "ada@x.io", externalId: "1" },
    { name: "Ada B", email: "b@x.io", externalId: "2" },
  );
  expect(await names({ search: "ada" })).toEqual(["Ada", "Ada B"]);
  expect(await names({ search: "ada", externalId: "2" })).toEqual(["Ada B"]);
  expect(await names({ search: "ada", email: "B@x.io", externalId: "2", sortBy: "updatedAt" })).toEqual([
    "Ada B",
  ]);
  expect(await names({ search: "ada", email: "b@x.io", externalId: "1" })).toEqual([]);
});
