import { expect, test } from "bun:test";
import { externalIdOf } from "./companies.ts";
import { type BenchRequest, eventsOfRequest, requests } from "./requests.ts";
import { sample } from "./sample.ts";
import { works } from "./work.ts";

const { medium, large } = sample.organizations;
const all = works(sample);
const times = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));

test("no two works have the same name", () => {
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
});

test("requests are ASCII, and their bodies JSON", () => {
  const sent = all.flatMap(({ streams }) => streams.flatMap((stream) => times(3, stream.request)));
  const isAscii = ({ path, key, body = "" }: BenchRequest) => /^[\x20-\x7e]*$/.test(path + key + body);
  expect(sent.filter((one) => !isAscii(one))).toEqual([]);
  for (const { body } of sent) if (body !== undefined) expect(JSON.parse(body)).toBeObject();
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
  expect(sent).toHaveLength(300);
  for (const member of ["name", "externalId"]) expect(new Set(sent.map((one) => one[member])).size).toBe(300);
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
