import { expect, test } from "bun:test";
import { faultsOf } from "../../src/console/app/pages/import/mapping.ts";
import { daysUntilFinal } from "../../src/core/event-limits.ts";
import { dayOf } from "../../src/core/timestamps.ts";
import { eventWorld } from "../events/event-world.ts";
import { operatorOf } from "../support/operator.ts";
import { type Body, beginning } from "../support/world.ts";
import { importWorld } from "./import-world.ts";

const day = 86_400_000;
const dateOf = (daysAgo: number) => new Date(beginning - daysAgo * day).toISOString().slice(0, 10);
const row = { externalId: "acme", event: "opened", day: dateOf(3), count: 12, users: 4 };

type Outcome = {
  result: string;
  problem?: { code: string; errors?: { pointer: string; code: string }[] };
};

/** Accounts `acme` and `globex`, and functions that import and export days of usage. */
async function usageWorld() {
  const here = await eventWorld();
  const { send } = operatorOf(here.engine);
  const organization = String(here.first.id);
  async function importDays(rows: Body[], query = "") {
    const path = `/operator/imports/usage-days${query}`;
    const reply = await send(path, { method: "POST", organization, body: { "usage-days": rows } });
    const { data } = (await reply.json()) as { data: Body & { results: Outcome[] } };
    return data;
  }
  return {
    ...here,
    importDays,
    /** The result of each row, or the pointer and the code of its first error. */
    async outcomes(rows: Body[]): Promise<string[]> {
      return (await importDays(rows)).results.map(({ result, problem }) => {
        const [error] = problem?.errors ?? [];
        const pointer = error?.pointer.replace(/^\/usage-days\/\d+/, "");
        return error ? `${pointer} ${error.code}` : (problem?.code ?? result);
      });
    },
    async exportDays(format: string, query = "") {
      return (await send(`/operator/exports/usage-days/${format}${query}`, { organization })).text();
    },
    usage: async (accountId: number) =>
      (await here.call("GET", `/api/v1/accounts/${accountId}/usage?from=${dateOf(365)}`)).body.data,
    sums: async () =>
      (await here.call("GET", `/api/v1/usage?from=${dateOf(365)}`)).body.data.map(Object.values),
    health: async (accountId = 1) =>
      (await here.call("GET", `/api/v1/accounts/${accountId}/health`)).body.data,
    check: () => here.faults(dayOf(here.now()) - daysUntilFinal),
  };
}

test("a row replaces the imported row of its account, event and day, and the same again changes nothing", async () => {
  const { importDays, usage, sums, check } = await usageWorld();
  const other = { ...row, externalId: "globex", users: 0 };
  expect(await importDays([row, other])).toMatchObject({
    results: [
      { result: "created", id: 1 },
      { result: "created", id: 2 },
    ],
    ...{ created: 2, updated: 0, unchanged: 0, failed: 0 },
  });
  expect(await importDays([row, other])).toMatchObject({ created: 0, unchanged: 2 });
  expect(await sums()).toEqual([[row.day, "opened", 24, 4, 2]]);
  expect(await importDays([{ ...row, count: 5, users: 1 }, other])).toMatchObject({
    updated: 1,
    unchanged: 1,
  });
  expect(await usage(1)).toEqual([{ day: row.day, event: "opened", count: 5, users: 1 }]);
  expect(await sums()).toEqual([[row.day, "opened", 17, 1, 2]]);
  expect(await check()).toEqual([]);
});

test("a late event is added to an imported day, which cannot be imported again then", async () => {
  const { importDays, outcomes, send, usage, sums, check } = await usageWorld();
  await importDays([row]);
  const timestamp = `${row.day}T12:00:00Z`;
  await send([
    { event: "opened", externalId: "acme", userId: "u1", timestamp },
    { event: "opened", externalId: "acme", userId: "u2", timestamp },
  ]);
  expect(await usage(1)).toEqual([{ day: row.day, event: "opened", count: 14, users: 6 }]);
  expect(await sums()).toEqual([[row.day, "opened", 14, 6, 1]]);
  expect(await outcomes([row, { ...row, event: "closed" }])).toEqual(["/day not_allowed", "created"]);
  expect(await check()).toEqual([]);
});

test("days that are not over, too old, or of unknown accounts fail alone", async () => {
  const { outcomes, importDays, usage } = await usageWorld();
  expect(
    await outcomes([
      { ...row, day: dateOf(0) },
      { ...row, day: dateOf(1) },
      { ...row, day: dateOf(400) },
      { ...row, day: dateOf(401) },
      { ...row, externalId: "nobody" },
      { ...row, users: 13 },
      { ...row, count: 0 },
      { ...row, event: " " },
      { ...row, day: "2026-02-30" },
      { ...row, day: undefined },
    ]),
  ).toEqual([
    ...["/day out_of_range", "created", "created", "/day out_of_range", "not_found", "/users out_of_range"],
    ...["/count out_of_range", "/event blank", "/day invalid_date", "/day required"],
  ]);
  expect(await importDays([{ ...row, users: undefined }], "?dryRun=true")).toMatchObject({ created: 1 });
  expect(await usage(1)).toHaveLength(1);
});

test("an imported day counts as an event at its first millisecond, for activity, recency and trend", async () => {
  const { importDays, health, runJobs, call } = await usageWorld();
  await importDays([
    { ...row, day: dateOf(2) },
    { ...row, day: dateOf(20), count: 24 },
  ]);
  expect((await health()).contactActivity).toEqual({ at: `${dateOf(2)}T00:00:00.000Z`, source: "event" });
  expect((await health()).factors).toMatchObject([
    { key: "contactActivity", value: 2.12 },
    { key: "usageRecency", value: 2.12 },
    { key: "usageTrend", value: 0.5 },
  ]);
  await runJobs();
  const listed = (await call("GET", "/api/v1/health")).body.data;
  expect(listed).toContainEqual(expect.objectContaining({ accountId: 1, score: (await health()).score }));
});

test("an account that is deleted takes its imported users out of the sums", async () => {
  const { importDays, sums, call, runJobs, check, send } = await usageWorld();
  await importDays([row, { ...row, externalId: "globex", count: 6, users: 5 }]);
  await send([{ event: "opened", externalId: "globex", userId: "u1", timestamp: `${row.day}T12:00:00Z` }]);
  await call("DELETE", "/api/v1/accounts/2");
  await runJobs();
  expect(await sums()).toEqual([[row.day, "opened", 12, 4, 1]]);
  expect(await check()).toEqual([]);
});

test("the export is what the import reads, also after the users of old days were deleted", async () => {
  const { importDays, exportDays, send, pass, runJobs, outcomes, check } = await usageWorld();
  await importDays([row, { ...row, event: "a,b", day: dateOf(399) }]);
  await send([
    { event: "opened", externalId: "globex", userId: "u1", timestamp: `${dateOf(1)}T12:00:00Z` },
    { event: "opened", externalId: "globex", userId: "u1" },
  ]);
  expect(await exportDays("csv")).toBe(
    [
      "externalId,event,day,count,users",
      `acme,"a,b",${dateOf(399)},12,4`,
      `acme,opened,${dateOf(3)},12,4`,
      `globex,opened,${dateOf(1)},1,1`,
      "",
    ].join("\n"),
  );
  pass(100 * day);
  await runJobs();
  const lines = (await exportDays("jsonl", "?end=true"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const days = [row, { ...row, externalId: "globex", day: dateOf(1), count: 1, users: 1 }];
  expect(lines).toEqual([...days, { ...days[1], day: dateOf(0) }, { end: true, rows: 3 }]);
  const changed = { ...days[1], count: 2 };
  expect(await outcomes([...lines.slice(0, 2), changed])).toEqual([
    "unchanged",
    "unchanged",
    "/day not_allowed",
  ]);
  expect(await check()).toEqual([]);
});

test("accounts of another organization are unknown, and its days are not exported", async () => {
  const { engine, first, second, importDays, exportDays } = await usageWorld();
  await importDays([row]);
  const { send } = operatorOf(engine);
  const organization = String(second.id);
  const reply = await send("/operator/imports/usage-days", {
    ...{ method: "POST", organization },
    body: { "usage-days": [row] },
  });
  expect(((await reply.json()) as Body).data).toMatchObject({ failed: 1 });
  const exported = await send("/operator/exports/usage-days/jsonl", { organization });
  expect(await exported.text()).toBe("");
  expect((await exportDays("jsonl")).split("\n")).toHaveLength(2);
  expect(first.id).not.toBe(second.id);
});

test("a file of days is not imported as accounts, unless they are chosen", async () => {
  const { account, importBytes } = await importWorld();
  await account({ name: "Acme", externalId: "acme" });
  const csv = `externalId,Event,day,count\nacme,opened,${dateOf(3)},12\n`;
  const text = "The file looks like days of usage: it has events, days and counts. Add --resource usage-days";
  await expect(importBytes(csv)).rejects.toThrow(text);
  expect(faultsOf(csv.split("\n", 1)[0]?.split(",") ?? [], [])[0]).toStartWith(text.split(". ")[0] ?? "");
  expect((await importBytes(csv, { map: "Event=" })).counts.unchanged).toBe(1);
  expect((await importBytes(csv, { isResourceChosen: true })).counts.unchanged).toBe(1);
  const name = "days.jsonl";
  const line = JSON.stringify(row);
  expect((await importBytes(line, { name })).reasons).toEqual([
    [1, "the line looks like a day of usage: add --resource usage-days, or --resource accounts"],
  ]);
  expect((await importBytes(line, { name, isResourceChosen: true })).counts.unchanged).toBe(1);
  expect((await importBytes(line, { name, resource: "usage-days" })).counts.created).toBe(1);
});

test("the command imports what it exports; a line is known by its account, event and day", async () => {
  const here = await importWorld();
  await here.account({ name: "Acme", externalId: "acme" });
  const file = [
    "Account ID,Event Name,Date,Events,users,note",
    `acme,opened,${dateOf(3)},12,4,x`,
    `acme,opened,${dateOf(2)},5,,x`,
    `acme,closed,${dateOf(3)},1,,x`,
    `acme,opened,${dateOf(3)},13,4,x`,
    `acme,opened,${dateOf(0)},13,4,x`,
    `acme,opened,${dateOf(4)},many,4,x`,
  ].join("\n");
  const options = { resource: "usage-days", name: "usage.csv" } as const;
  const { counts, ignored, reasons } = await here.importBytes(file, options);
  expect(counts).toEqual({ lines: 6, created: 3, updated: 0, unchanged: 0, rejected: 3 });
  expect(ignored).toEqual(["note"]);
  expect(reasons).toEqual([
    [5, "line 2 has the same externalId, event, day"],
    [6, "day must be over: before today (UTC)"],
    [7, "count must be a number"],
  ]);
  const exportOf = async (format: string) =>
    (
      await operatorOf(here.engine).send(`/operator/exports/usage-days/${format}`, {
        organization: String(here.first.id),
      })
    ).text();
  const [csv, lines] = [await exportOf("csv"), await exportOf("jsonl")];
  for (const [content, name] of [
    [csv, "days.csv"],
    [lines, "days.jsonl"],
  ] as const)
    expect((await here.importBytes(content, { ...options, name })).counts).toMatchObject({
      lines: 3,
      unchanged: 3,
    });
  expect([await exportOf("csv"), await exportOf("jsonl")]).toEqual([csv, lines]);
});
