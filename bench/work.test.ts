import { expect, test } from "bun:test";
import { externalIdOf } from "./companies.ts";
import { contestants } from "./contestants.ts";
import { type BenchRequest, eventsOfRequest, requests } from "./requests.ts";
import { sample } from "./sample.ts";
import { growthWorks, works } from "./work.ts";

const { medium, large } = sample.organizations;
const all = [...works(sample), ...growthWorks(sample)];
const times = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));

test("no two works have the same name", () => {
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
});

test("requirements and contestants refer to existing contestants and works", () => {
  const names = contestants.map(({ name }) => name);
  const known = all.map(({ name }) => name);
  const requirements = all.flatMap((work) => work.requirements);
  const named = requirements.flatMap((requirement) => ("of" in requirement ? requirement.of : []));
  const compared = requirements.flatMap((requirement) => ("ofWork" in requirement ? requirement.ofWork : []));
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !names.includes(name))).toEqual([]);
  expect(compared.length).toBeGreaterThan(2);
  expect(compared.filter((name) => !known.includes(name))).toEqual([]);
  const own = contestants.flatMap(({ only = [], except = [] }) => [...only, ...except]);
  expect(own.filter((name) => !known.includes(name))).toEqual([]);
});

test("requirements against a contestant are for works that it runs", () => {
  for (const { name, requirements } of all)
    for (const requirement of requirements) {
      const other = contestants.find((one) => "of" in requirement && one.name === requirement.of);
      expect([name, other?.name, other?.only?.includes(name) ?? true]).toEqual([name, other?.name, true]);
      expect([name, other?.name, other?.except?.includes(name) ?? false]).toEqual([name, other?.name, false]);
    }
});

test("requests are ASCII, and their bodies JSON", () => {
  const sent = all.flatMap(({ streams }) => streams.flatMap((stream) => times(3, stream.request)));
  const isAscii = ({ path, key, body = "" }: BenchRequest) => /^[\x20-\x7e]*$/.test(path + key + body);
  expect(sent.filter((one) => !isAscii(one))).toEqual([]);
  for (const { body } of sent) if (body !== undefined) expect(JSON.parse(body)).toBeObject();
});

test.each([
  ["mix", requests.mix, [80, 10, 5, 3, 2]],
  ["openMix", requests.openMix, [70, 20, 5, 2.5, 2.5]],
] as const)("%s has the shares of get, list, search, update and create in percent", (_, make, expected) => {
  const shares: Record<string, number> = {};
  for (const { method, path } of times(20_000, (n) => make(medium, n))) {
    const kind = `${method} ${path.replace(/\d+$/, "").replace(/=[^&]*$/, "")}`;
    shares[kind] = (shares[kind] ?? 0) + 1 / 200;
  }
  const kinds = [
    "GET /api/v1/accounts/",
    "GET /api/v1/accounts?page=1&pageSize",
    "GET /api/v1/accounts?page=1&pageSize=25&search",
    "PATCH /api/v1/accounts/",
    "POST /api/v1/accounts",
  ];
  for (const [i, kind] of kinds.entries())
    expect(Math.abs((shares[kind] ?? 0) - (expected[i] ?? 0))).toBeLessThan(0.6);
});

test("requested accounts belong to the organization, from the first to the last", () => {
  const ids = times(50_000, (n) => Number(requests.getOne(medium, n).path.split("/").at(-1))).toSorted(
    (a, b) => a - b,
  );
  expect(ids[0]).toBeWithin(medium.firstAccountId, medium.firstAccountId + 10);
  const end = medium.firstAccountId + medium.accounts;
  expect(ids.at(-1)).toBeWithin(end - 10, end);
});

test("created accounts have a name and an external id that no other work creates", () => {
  const creates = works(sample).filter(({ name }) => /^create-/.test(name));
  const bodies = creates.flatMap(({ streams }) => streams.flatMap((stream) => times(100, stream.request)));
  const sent = [...bodies, ...times(100, (n) => requests.create(large, n, "mix"))].map(({ body = "" }) =>
    JSON.parse(body),
  );
  expect(sent).toHaveLength(400);
  for (const member of ["name", "externalId"]) expect(new Set(sent.map((one) => one[member])).size).toBe(400);
});

test("a request has one hundred different events of existing accounts and the last seconds", () => {
  const events = times(5, (n) => JSON.parse(requests.events(medium, n).body ?? "").events).flat();
  expect(eventsOfRequest).toBe(100);
  expect(events).toHaveLength(500);
  expect(new Set(events.map(({ messageId }) => messageId)).size).toBe(500);
  const known = new Set(times(medium.accounts, (index) => externalIdOf(medium.id, index)));
  expect(events.filter(({ externalId }) => !known.has(externalId))).toEqual([]);
  const now = Date.now();
  for (const { timestamp } of events) expect(Date.parse(timestamp)).toBeWithin(now - 5_000, now + 1);
});

test("organizations for growth get the same reads, and deep pages where they exist", () => {
  const names = growthWorks(sample).map(({ name }) => name);
  expect(names.filter((name) => name.startsWith("list@"))).toEqual(
    [1_000, 10_000, 100_000, 1_000_000].map((size) => `list@${size}`),
  );
  expect(names.filter((name) => name.startsWith("far-page@"))).toEqual([
    "far-page@100000",
    "far-page@1000000",
  ]);
  const largest = growthWorks(sample).find(({ name }) => name === "list@1000000");
  expect(largest?.requirements).toEqual([{ within: 1.3, ofWork: "list@1000" }]);
});
