import { expect, test } from "bun:test";
import { requestWorld } from "../resources/sub-resource-world.ts";

type Listed = { id: number };

/** A world with requests of two accounts and of another organization, and the ids that a query returns. */
async function worldWithList() {
  const here = await requestWorld();
  const { request, account, put, call, second } = here;
  await request({ title: "SSO", status: "Open", severity: 5, externalId: "a" });
  await request({ title: "Export", status: "Done", requestedAt: "2026-01-01" });
  await request({ title: "SSO for Globex", status: "Open", requestedAt: "2025-12-31" }, 2);
  await request({ title: "Audit", status: "Declined", requestedAt: "2025-12-30", externalId: "b" }, 2);
  const theirs = await account({ name: "Theirs" }, { key: second.key });
  await put("theirs", { accountId: theirs.id, title: "SSO" }, { key: second.key });
  const ids = async (query: string, path = "/api/v1/requests") => {
    const { data, pagination } = (await call("GET", path + query)).body;
    expect(pagination.total).toBe(data.length);
    return data.map(({ id }: Listed) => id);
  };
  return { ...here, ids, theirs };
}

test("GET with accountId lists the same as the list of the account", async () => {
  const { call, ids, list, theirs } = await worldWithList();
  expect(await ids("?accountId=1")).toEqual([2, 1]);
  expect(await ids("?accountId=2")).toEqual([4, 3]);
  const ofAccount = (await list("?sortBy=title", 2)).body;
  expect((await call("GET", "/api/v1/requests?accountId=2&sortBy=title")).body).toEqual(ofAccount);
  for (const accountId of [0, 999, theirs.id, Number.MAX_SAFE_INTEGER])
    expect(await ids(`?accountId=${accountId}`)).toEqual([]);
});
