import { expect, test } from "bun:test";
import type { Cell, Row } from "../results.ts";
import { sample } from "../sample.ts";
import { works as sqliteWorks } from "../work.ts";
import { processorTable, processorText } from "./processor-table.ts";
import { postgresWorks } from "./work.ts";

const works = postgresWorks(sample);
const workNamed = (wanted: string) => works.find(({ name }) => name === wanted);

test("no two works have the same name, and writes are measured again with slow flushes", () => {
  expect(new Set(works.map(({ name }) => name)).size).toBe(works.length);
  expect(works).toHaveLength(21);
  expect(
    works.filter(({ name, hasSlowFlush }) => name.endsWith("@flush") !== (hasSlowFlush ?? false)),
  ).toEqual([]);
});

test("a work of both engines sends the same requests", () => {
  for (const { name, streams } of sqliteWorks(sample)) {
    const onPostgres = workNamed(name)?.streams;
    // Events have the current time.
    if (!onPostgres || name.startsWith("events")) continue;
    for (const [i, stream] of streams.entries())
      for (const n of [0, 1, 77]) expect(onPostgres[i]?.request(n)).toEqual(stream.request(n));
  }
});

test("creates in many organizations use 64 keys, on 64 connections, with unique external ids", () => {
  const [stream] = workNamed("create-64-organizations")?.streams ?? [];
  const sent = Array.from({ length: 640 }, (_, n) => stream?.request(n));
  expect(stream?.connections).toBe(64);
  expect(new Set(sent.map((one) => one?.key)).size).toBe(64);
  expect(sent.every((one) => one?.key !== sample.organizations.large.key)).toBe(true);
  expect(new Set(sent.map((one) => JSON.parse(one?.body ?? "").externalId)).size).toBe(640);
});

test("the processor time is shown for each contestant, without a server also, and not for a failure", () => {
  const cell = (contestant: string, more: Partial<Cell>): Cell => ({
    ...{ contestant, perSecond: 1, p50: 1, p99: 1, p999: 1, rounds: [] },
    ...more,
  });
  const cells = [
    cell("accountd", { processor: { contestant: 12.4, server: 1_234.5 } }),
    cell("fastify", { processor: { contestant: 99 }, failure: "gone" }),
    cell("other", { processor: { contestant: 99.6 } }),
  ];
  const row: Row = { name: "get", title: "get one", cells };
  const idle = { accountd: { contestant: 1_000, server: 2_000 } };
  const lines = processorTable([row, { ...row, cells: [cell("accountd", {})] }], idle).split("\n");
  expect(lines.map((line) => line.trim().split(/ {2,}/)).slice(2)).toEqual([
    ["a second without requests", "1,000 + 2,000", "–", "–"],
    ["get one", "12 + 1,235", "–", "100"],
  ]);
  expect(processorText(undefined)).toBe("–");
});
