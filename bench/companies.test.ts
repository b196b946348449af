import { expect, test } from "bun:test";
import { accountOf, externalIdOf, subResourcesOf } from "./companies.ts";

const count = 10_000;
const accounts = Array.from({ length: count }, (_, index) => accountOf(1, index, count));
const subResources = accounts.map((account, index) => subResourcesOf(1, index, account));

test("the accounts of an organization and their sub-resources never change", () => {
  // Results before and after a change of the data are not comparable, so a change must update this hash.
  const text = JSON.stringify([accounts.slice(0, 1_000), subResources.slice(0, 1_000)]);
  expect(Bun.SHA256.hash(text, "hex").slice(0, 16)).toBe("1553c8c2b8576ccc");
});

test("an account does not depend on the accounts before it, and differs between organizations", () => {
  for (const index of [0, 17, count - 1]) {
    const account = accountOf(1, index, count);
    expect<unknown>([account, subResourcesOf(1, index, account)]).toEqual([
      accounts[index],
      subResources[index],
    ]);
    expect(externalIdOf(1, index)).toBe(account.externalId);
    expect(accountOf(2, index, count)).not.toEqual(account);
  }
});
