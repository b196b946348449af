import { expect, test } from "bun:test";
import { contestants } from "../contestants.ts";
import { readOptions } from "../options.ts";
import type { Cell, Row } from "../results.ts";
import { sample } from "../sample.ts";
import { works as sqliteWorks } from "../work.ts";
import { postgresContestants } from "./contestants.ts";
import { processorTable, processorText } from "./processor-table.ts";
import { fileNameOf } from "./run.ts";
import { postgresWorks } from "./work.ts";

const works = postgresWorks(sample);
const workNamed = (wanted: string) => works.find(({ name }) => name === wanted);

test("every required work is measured, and writes again with slow flushes", () => {
  const required = works.flatMap(({ name, requirements }) =>
    requirements.flatMap((one) => ("of" in one ? `${name} ≥ ${one.atLeast}× ${one.of}` : [])),
  );
  const writes = [
    "create-64 ≥ 2.5× fastify",
    "create-64-organizations ≥ 1.8× fastify",
    "events ≥ 2× fastify",
  ];
  const searches = ["frequent", "rare", "absent", "letter"].map((kind) => `search-${kind}`);
  expect(required).toEqual([
    "get ≥ 1.2× fastify",
    "list ≥ 8× fastify",
    ...searches.map((name) => `${name} ≥ 1× fastify`),
    ...writes,
    ...writes.map((text) => text.replace(" ", "@flush ")),
  ]);
  for (const name of searches) expect(workNamed(name)?.requirements).toContainEqual({ p99: 20 });
  expect(
    works.filter(({ name, hasSlowFlush }) => name.endsWith("@flush") !== (hasSlowFlush ?? false)),
  ).toEqual([]);
});

test("no two works have the same name, and requirements are against contestants that run the work", () => {
  expect(new Set(works.map(({ name }) => name)).size).toBe(works.length);
  for (const { name, requirements } of works)
    for (const requirement of requirements)
      if ("of" in requirement) {
        const other = postgresContestants.find((one) => one.name === requirement.of);
        expect([name, other !== undefined && (other.only?.includes(name) ?? true)]).toEqual([name, true]);
      }
  const named = postgresContestants.flatMap(({ only = [] }) => only);
  expect(named.length).toBeGreaterThan(4);
  expect(named.filter((name) => !workNamed(name))).toEqual([]);
});

test("a work of both engines sends the same requests", () => {
  for (const { name, streams } of sqliteWorks(sample)) {
    const onPostgres = workNamed(name)?.streams;
    // Events have the current time.
    if (!onPostgres || name === "events") continue;
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

test("accountd is the contestant of the SQLite benchmark", () => {
  expect(contestants[0]).toBeDefined();
  expect(postgresContestants[0]).toBe(contestants[0]);
});

test.each([
  ["", "postgres.json"],
  ["--rounds=2", "partial.postgres.json"],
  ["--only=get", "partial.postgres.json"],
  ["--quick", "quick.postgres.json"],
  ["--quick --only=get", "partial.postgres.json"],
])("a run with the arguments %p is saved as %s", (line, name) => {
  const options = readOptions(["--engine=postgres", ...line.split(" ").filter(Boolean)]);
  if (!options) throw new Error("that is help");
  expect(fileNameOf(options, postgresContestants)).toBe(name);
  expect(fileNameOf(options, postgresContestants.slice(1))).toBe("partial.postgres.json");
});

test("the processor time is shown for each contestant, without a server also, and not for a failure", () => {
  const cell = (contestant: string, more: Partial<Cell>): Cell => ({
    ...{ contestant, perSecond: 1, p50: 1, p99: 1, p999: 1, rounds: [] },
    ...more,
  });
  const cells = [
    cell("accountd", { processor: { contestant: 12.4, server: 1_234.5 } }),
    cell("fastify", { processor: { contestant: 99 }, failure: "gone" }),
    cell("usual", { processor: { contestant: 99.6 } }),
  ];
  const row: Row = { name: "get", title: "get one", cells, verdicts: [] };
  const idle = { accountd: { contestant: 1_000, server: 2_000 } };
  const lines = processorTable([row, { ...row, cells: [cell("accountd", {})] }], idle).split("\n");
  expect(lines.map((line) => line.trim().split(/ {2,}/)).slice(2)).toEqual([
    ["a second without requests", "1,000 + 2,000", "–", "–"],
    ["get one", "12 + 1,235", "–", "100"],
  ]);
  expect(processorText(undefined)).toBe("–");
});
