import { expect, test } from "bun:test";
import { world } from "../support/world.ts";

const path = "/api/v1/accounts";

/** A world with accounts of these names, and a function that searches them. */
async function worldWithSearch(...accounts: { name: string; externalId?: string }[]) {
  const here = await world();
  for (const account of accounts) await here.account(account);
  const search = async (text: string, parameters = "") => {
    const query = `?search=${encodeURIComponent(text)}&pageSize=100${parameters}`;
    const { data, pagination } = (await here.call("GET", path + query)).body;
    expect(pagination.total).toBe(data.length);
    return data.map(({ name }: { name: string }) => name);
  };
  return { ...here, search };
}

test("search is a case-insensitive substring match on name or externalId", async () => {
  const { search } = await worldWithSearch(
    { name: "Acme Energy", externalId: "X-1" },
    { name: "Globex", externalId: "acme-2" },
    { name: "Initech" },
  );
  expect(await search("ACME")).toEqual(["Acme Energy", "Globex"]);
  expect(await search("me en")).toEqual(["Acme Energy"]);
  expect(await search("x-1")).toEqual(["Acme Energy"]);
  expect(await search("EX")).toEqual(["Globex"]);
  expect(await search("nothing")).toEqual([]);
});

test("an empty search is no filter; a search does not match across name and externalId", async () => {
  const { search } = await worldWithSearch({ name: "Acme", externalId: "beta" }, { name: "Other" });
  expect(await search("")).toEqual(["Acme", "Other"]);
  for (const text of ["acmebeta", "acme beta", "e\nb"]) expect(await search(text)).toEqual([]);
});

test("a search uses the current name and externalId", async () => {
  const { call, search } = await worldWithSearch({ name: "Acme", externalId: "one" });
  await call("PATCH", `${path}/1`, { name: "Globex", externalId: null });
  expect(await search("acme")).toEqual([]);
  expect(await search("one")).toEqual([]);
  expect(await search("globex")).toEqual(["Globex"]);
});

test("search finds U+FFFD, which the search of another list accepts, too", async () => {
  const { call, search } = await worldWithSearch({ name: "Caf\ufffd" }, { name: "Cafe" });
  expect(await search("\ufffd")).toEqual(["Caf\ufffd"]);
  expect(await search("f\ufffd", "&status=active")).toEqual(["Caf\ufffd"]);
  expect((await call("GET", "/api/v1/events/unmatched?search=%ef%bf%bd")).status).toBe(200);
});

test("search rejects percent-encoded bytes that are no UTF-8, and other parameters U+FFFD", async () => {
  const { call } = await worldWithSearch();
  for (const query of ["search=%FF", "search=%ED%A0%80", "externalId=%EF%BF%BD", "%EF%BF%BD=a"])
    expect((await call("GET", `${path}?${query}`)).body.code).toBe("malformed_url");
});
