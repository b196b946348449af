import { expect, test } from "bun:test";
import { cursorWorld, lists } from "./cursor-world.ts";

/** The targets of a Link header by relation. */
function linksOf(headers: Headers): Record<string, string> {
  const links = (headers.get("link") ?? "").split(", ").map((link) => {
    const [whole, target = "", relation = ""] = /^<([^<>"\s]+)>; rel="(\w+)"$/.exec(link) ?? [];
    if (whole === undefined) throw new Error(`not a link: ${link}`);
    return [relation, target];
  });
  return Object.fromEntries(links);
}

test("Link leads through all pages of every list, by page and by cursor", async () => {
  const { call, list } = await cursorWorld();
  for (const { path } of lists) {
    const all = (await list(path, { pageSize: "100" })).body.data;
    for (const start of [`${path}?pageSize=2&page=1`, `${path}?pageSize=2&cursor=`]) {
      const found: unknown[] = [];
      for (let next: string | undefined = start; next !== undefined; ) {
        const { status, body, headers } = await call("GET", next);
        expect([next, status]).toEqual([next, 200]);
        found.push(...body.data);
        next = linksOf(headers).next;
      }
      expect([start, found]).toEqual([start, all]);
    }
  }
});

test("Link names the first, previous, next and last page, and keeps the other parameters", async () => {
  const { list } = await cursorWorld();
  const at = async (query: Record<string, string>) =>
    linksOf((await list("/api/v1/accounts", query)).headers);
  const query = { search: 'a & <b>"é', sortBy: "mrr", pageSize: "2" };
  const kept = "/api/v1/accounts?search=a%20%26%20%3Cb%3E%22%C3%A9&sortBy=mrr&pageSize=2";
  expect(await at(query)).toEqual({ first: `${kept}&page=1` });
  const pages = "/api/v1/accounts?pageSize=2";
  expect(await at({ pageSize: "2", page: "3" })).toEqual({
    first: `${pages}&page=1`,
    prev: `${pages}&page=2`,
    next: `${pages}&page=4`,
    last: `${pages}&page=5`,
  });
  expect(await at({ pageSize: "2", page: "99" })).toEqual({
    first: `${pages}&page=1`,
    prev: `${pages}&page=5`,
    last: `${pages}&page=5`,
  });
  const reply = await list("/api/v1/accounts", { cursor: "", pageSize: "2" });
  expect(linksOf(reply.headers)).toEqual({
    first: `${pages}&cursor=`,
    next: `${pages}&cursor=${reply.body.pagination.nextCursor}`,
  });
  expect(await at({ cursor: "" })).toEqual({ first: "/api/v1/accounts?cursor=" });
});

test("a Link that would be longer than 3,000 characters is left out", async () => {
  const { list } = await cursorWorld();
  const { status, headers } = await list("/api/v1/accounts", { search: "😀".repeat(255) });
  expect([status, headers.get("link")]).toEqual([200, null]);
});
