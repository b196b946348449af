import { expect, test } from "bun:test";
import { contactWorld } from "../resources/sub-resource-world.ts";

test("search is a case-folded substring match on name or e-mail address", async () => {
  const { contact, list } = await contactWorld();
  await contact({ name: "Ada Lovelace", email: "countess@x.io" });
  await contact({ name: "Bob", email: "Ada@y.io" });
  await contact({ name: "Eve", externalId: "ada" });
  for (const [search, names] of [
    ["ADA", ["Ada Lovelace", "Bob"]],
    ["a lo", ["Ada Lovelace"]],
    ["@Y.", ["Bob"]],
    ["lacecountess", []],
  ] as const) {
    const { data, pagination } = (await list(`?${new URLSearchParams({ search })}`)).body;
    expect([data.map(({ name }: { name: string }) => name), pagination.total]).toEqual([names, names.length]);
  }
});
