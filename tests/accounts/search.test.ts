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

test("ÉCLAIR finds Éclair, in composed and decomposed form", async () => {
  const { search } = await worldWithSearch(
    { name: "\u00c9clair" },
    { name: "E\u0301clair SA" },
    { name: "Eclair" },
  );
  for (const text of ["ÉCLAIR", "\u00e9clair", "E\u0301CLAIR", "e\u0301clair"])
    expect(await search(text)).toEqual(["\u00c9clair", "E\u0301clair SA"]);
});

test("STRASSE finds Straße, and Straße finds STRASSE", async () => {
  const { search } = await worldWithSearch({ name: "Straße" }, { name: "STRASSE 2" });
  for (const text of ["STRASSE", "straße", "STRAẞE", "asse"])
    expect(await search(text)).toEqual(["Straße", "STRASSE 2"]);
});

test("names in every script are found in any letter case", async () => {
  const pairs = [
    ["Ελληνικός Οργανισμός", "ΟΡΓΑΝΙΣΜΌΣ"],
    ["Газпром", "ГАЗПРОМ"],
    ["Հայաստան", "ՀԱՅԱՍՏԱՆ"],
    ["株式会社トヨタ", "トヨタ"],
    ["شركة الاتصالات", "الاتصالات"],
    ["חברת החשמל", "החשמל"],
    ["कंपनी लिमिटेड", "लिमिटेड"],
    ["🚀 Rocket", "🚀 ROCK"],
  ] as const;
  const { search } = await worldWithSearch(...pairs.map(([name]) => ({ name })));
  for (const [name, text] of pairs) expect(await search(text)).toEqual([name]);
});

test("search is literal: %, _, \\ and quotes mean themselves", async () => {
  const names = ["100% Wool", "snake_case", "back\\slash", "O'Neil", 'The "Best"', "plain", "a*b?c", "[x]"];
  const { search } = await worldWithSearch(...names.map((name) => ({ name })));
  for (const [text, name] of [
    ["%", "100% Wool"],
    ["_", "snake_case"],
    ["\\", "back\\slash"],
    ["'", "O'Neil"],
    ['"', 'The "Best"'],
    ["*", "a*b?c"],
    ["[", "[x]"],
  ] as const)
    expect(await search(text)).toEqual([name]);
  for (const text of ["%%", "p_ain", "' OR 1=1 --", "a%b"]) expect(await search(text)).toEqual([]);
});

test("an empty search is no filter; a search does not match across name and externalId", async () => {
  const { search } = await worldWithSearch({ name: "Acme", externalId: "beta" }, { name: "Other" });
  expect(await search("")).toEqual(["Acme", "Other"]);
  for (const text of ["acmebeta", "acme beta", "e\nb"]) expect(await search(text)).toEqual([]);
});

test("a search has its own total and pages, in every order", async () => {
  const { call, account } = await world();
  for (let i = 0; i < 60; i++) await account({ name: i % 2 ? `Match ${i}` : `Other ${i}`, mrr: 60 - i });
  for (const sortBy of ["name", "mrr", "createdAt", "updatedAt"])
    for (const sortOrder of ["asc", "desc"]) {
      const names: string[] = [];
      for (let page = 1; page <= 4; page++) {
        const query = `?search=match&sortBy=${sortBy}&sortOrder=${sortOrder}&pageSize=10&page=${page}`;
        const { data, pagination } = (await call("GET", path + query)).body;
        expect(pagination).toEqual({
          page,
          pageSize: 10,
          total: 30,
          totalPages: 3,
          hasNextPage: page < 3,
          hasPrevPage: page > 1,
        });
        names.push(...data.map(({ name }: { name: string }) => name));
      }
      expect(new Set(names).size).toBe(30);
      expect(names.every((name) => name.startsWith("Match"))).toBe(true);
    }
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
