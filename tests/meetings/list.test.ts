import { expect, test } from "bun:test";
import { meetingWorld } from "../resources/sub-resource-world.ts";
import { beginningText } from "../support/world.ts";

/** A world with meetings of account 1, one a day, and the titles that a query of its list returns. */
async function worldWithList(...titles: string[]) {
  const here = await meetingWorld();
  for (const [i, title] of titles.entries())
    await here.meeting({
      title,
      externalId: `cal-${i}`,
      startAt: `2026-01-0${9 - i}`,
      endAt: `2026-01-1${i}`,
    });
  const titlesOf = async (query: Record<string, string>) => {
    const { data, pagination } = (await here.list(`?${new URLSearchParams(query)}`)).body;
    expect(pagination.total).toBe(data.length);
    return data.map(({ title }: { title: string }) => title);
  };
  return { ...here, titlesOf };
}

test("GET returns a page of the account's past and future meetings by startAt", async () => {
  const { list, meeting } = await worldWithList("Second", "First");
  await meeting({ title: "Elsewhere", startAt: "2026-01-01", endAt: "2026-01-01" }, 2);
  const timestamps = { createdAt: beginningText, updatedAt: beginningText };
  expect((await list()).body).toEqual({
    data: [
      {
        id: 2,
        accountId: 1,
        externalId: "cal-1",
        title: "First",
        startAt: "2026-01-08T00:00:00.000Z",
        endAt: "2026-01-11T00:00:00.000Z",
        ...timestamps,
      },
      {
        id: 1,
        accountId: 1,
        externalId: "cal-0",
        title: "Second",
        startAt: "2026-01-09T00:00:00.000Z",
        endAt: "2026-01-10T00:00:00.000Z",
        ...timestamps,
      },
    ],
    pagination: { page: 1, pageSize: 25, total: 2, totalPages: 1, hasNextPage: false, hasPrevPage: false },
  });
});

test("all filters must match, in every order", async () => {
  const { titlesOf } = await worldWithList("Review one", "Review two", "Call");
  expect(await titlesOf({ search: "REVIEW" })).toEqual(["Review two", "Review one"]);
  expect(await titlesOf({ search: "review", sortBy: "title" })).toEqual(["Review one", "Review two"]);
  for (const sortBy of ["startAt", "endAt", "title", "createdAt", "updatedAt"]) {
    expect(await titlesOf({ search: "review", externalId: "cal-1", sortBy })).toEqual(["Review two"]);
    expect(await titlesOf({ search: "review", externalId: "cal-2", sortBy })).toEqual([]);
  }
});
