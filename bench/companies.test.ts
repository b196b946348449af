import { expect, test } from "bun:test";
import { type Account, accountOf, externalIdOf, lastAt, subResourcesOf } from "./companies.ts";

const count = 10_000;
const accounts = Array.from({ length: count }, (_, index) => accountOf(1, index, count));
const subResources = accounts.map((account, index) => subResourcesOf(1, index, account));

function share(holds: (account: Account) => boolean): number {
  return accounts.filter(holds).length / count;
}

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

test.each<[number, string, (account: Account) => boolean]>([
  [0.86, "active", ({ status }) => status === "active"],
  [0.08, "onboarding", ({ status }) => status === "onboarding"],
  [0.055, "inactive", ({ status }) => status === "inactive"],
  [0.005, "churned", ({ status }) => status === "churned"],
  [0.1, "without an external id", ({ externalId }) => externalId === null],
  [0.3, "known by a code", ({ externalId }) => /^[A-Z]{4}-\d{5}$/.test(externalId ?? "")],
  [0.6, "known by a number", ({ externalId }) => /^cus_[0-9a-f]{8}$/.test(externalId ?? "")],
  [0.4, "with a logo", ({ logoUrl }) => logoUrl !== null && URL.canParse(logoUrl)],
  [0.7, "changed since", ({ createdAt, updatedAt }) => updatedAt > createdAt],
  [0.6, "with a contact that was active", ({ contactActivityAt }) => contactActivityAt !== null],
])("a share of %p of the accounts is %s", (wanted, _, holds) => {
  // A tolerance of four standard deviations.
  const near = 4 * Math.sqrt((wanted * (1 - wanted)) / count);
  expect(Math.abs(share(holds) - wanted)).toBeLessThan(near);
});

test("external ids are unique within an organization", () => {
  const known = accounts.flatMap(({ externalId }) => externalId?.toLowerCase() ?? []);
  expect(new Set(known).size).toBe(known.length);
});

test("names resemble company names", () => {
  const shape = /^(?:\p{Lu}|\p{Lo})[\p{L}'-]+(?: [\p{L}'&.-]+)*$/u;
  expect(accounts.map(({ name }) => name).filter((name) => !shape.test(name) || name.length > 60)).toEqual(
    [],
  );
  expect(new Set(accounts.map(({ name }) => name)).size / count).toBeGreaterThan(0.85);
  const endings = ["Inc.", "GmbH", "Oy"].map((form) => share(({ name }) => name.endsWith(` ${form}`)));
  expect(endings).toEqual(endings.toSorted((one, other) => other - one));
  expect(share(({ name }) => name.includes(" & "))).toBeGreaterThan(0.08);
  expect(share(({ name }) => !/^[\x20-\x7e]*$/.test(name))).toBeGreaterThan(0.1);
});

test("the revenue of most is small, and of few very large", () => {
  const sorted = accounts.map(({ mrr }) => mrr).toSorted((one, other) => one - other);
  expect(sorted.every((mrr) => mrr > 0 && Math.round(mrr * 100) / 100 === mrr)).toBe(true);
  expect(sorted[count / 2]).toBeWithin(800, 1_000);
  expect(sorted[count - 1]).toBeGreaterThan(50_000);
});

test("timestamps are in order: accounts are created one after the other, and nothing is later than the last", () => {
  const created = accounts.map(({ createdAt }) => createdAt);
  expect(created).toEqual(created.toSorted((one, other) => one - other));
  const spans = subResources.flatMap(({ meetings, requests }, index) => {
    const ends = [...meetings.map(({ endAt }) => endAt), ...requests.map((one) => one.resolvedAt ?? lastAt)];
    const starts = [...meetings.map(({ startAt }) => startAt), ...requests.map((one) => one.requestedAt)];
    return ends.map((end, i) => [created[index] ?? Number.NaN, starts[i] ?? Number.NaN, end, lastAt]);
  });
  const changes = accounts.flatMap(({ createdAt, contactActivityAt, updatedAt }) => [
    [createdAt, contactActivityAt ?? createdAt, updatedAt, lastAt],
  ]);
  const isOrdered = (timestamps: number[]) =>
    timestamps.every((timestamp, i) => timestamp >= (timestamps[i - 1] ?? timestamp));
  expect([...spans, ...changes].filter((one) => !isOrdered(one))).toEqual([]);
  expect(lastAt).toBeLessThan(Date.UTC(2025, 0, 1));
});

test("an account has two or three contacts, up to six meetings and up to four requests", () => {
  const counts = (list: "contacts" | "meetings" | "requests") =>
    [...new Set(subResources.map((own) => own[list].length))].toSorted();
  expect(counts("contacts")).toEqual([2, 3]);
  expect(counts("meetings")).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(counts("requests")).toEqual([0, 1, 2, 3, 4]);
});

test("exactly the requests with the status Done or Declined are resolved", () => {
  const requests = subResources.flatMap((own) => own.requests);
  const resolved = requests.filter(({ resolvedAt }) => resolvedAt !== null).map(({ status }) => status);
  const open = requests.filter(({ resolvedAt }) => resolvedAt === null).map(({ status }) => status);
  expect(new Set(resolved)).toEqual(new Set(["Done", "Declined"] as const));
  expect(new Set(open)).toEqual(new Set(["Open", "Planned", "Started"] as const));
  expect([...new Set(requests.map(({ severity }) => severity))].toSorted()).toEqual([1, 2, 3, 4, 5]);
});

test("no two contacts have the same address", () => {
  const emails = subResources.flatMap(({ contacts }) => contacts.map(({ email }) => email));
  expect(emails.filter((email) => !/^[a-z]+\.\d@c1-\d+\.example\.com$/.test(email))).toEqual([]);
  expect(new Set(emails).size).toBe(emails.length);
});
