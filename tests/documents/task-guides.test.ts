import { expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeBlocks, documentAt } from "./documents.ts";
import { examplesWorld } from "./examples-world.ts";

setDefaultTimeout(60_000);

const millisecondsOfDay = 86_400_000;

/** The text with its days moved, so that the latest of them is yesterday. */
function untilYesterday(text: string): string {
  const days = text.match(/\d{4}-\d\d-\d\d/g) ?? [];
  const offset = Date.now() - millisecondsOfDay - Math.max(...days.map(Date.parse));
  return text.replace(/\d{4}-\d\d-\d\d/g, (day) =>
    new Date(Date.parse(day) + offset).toISOString().slice(0, 10),
  );
}

/** Writes the files of a guide, runs its commands in their order next to a server, and returns what they print. */
async function follow(path: string, account?: object) {
  const { folder, run, send } = await examplesWorld();
  if (account) await send("PUT", "/api/v1/accounts/external/cedar", account);
  const files = documentAt(path).matchAll(/`([\w-]+\.csv)`[^\n]*\n\n```csv\n([\s\S]*?)^```$/gm);
  for (const [, name = "", content = ""] of files) writeFileSync(join(folder, name), untilYesterday(content));
  const printed: string[] = [];
  for (const block of codeBlocks(documentAt(path), "sh")) printed.push(await run(block));
  return { printed, folder, send };
}

const namesIn = (text = "") => JSON.parse(text).data.map(({ name }: { name: string }) => name);

test.skipIf(!Bun.which("curl"))(
  "accounts of a CRM and usage of a warehouse give the scores of the guide",
  async () => {
    const { printed, send } = await follow("docs/crm-and-warehouse.md");
    expect(printed.slice(0, 4)).toEqual([
      "attributes.renewalDate of accounts is a new attribute, of the type date.",
      "2 lines of accounts: 2 created, 0 updated, 0 unchanged, 0 rejected.",
      "2 lines of contacts: 2 created, 0 updated, 0 unchanged, 0 rejected.",
      "3 lines of usage-days: 3 created, 0 updated, 0 unchanged, 0 rejected.",
    ]);
    const [header = "", ...rows] = printed[4]?.split("\n") ?? [];
    expect(header).toContain("health.score,health.tier,contactActivity.at");
    const tier = header.split(",").indexOf("health.tier");
    expect(rows.map((row) => [row.split(",")[1], row.split(",")[tier]])).toEqual([
      ["101", "healthy"],
      ["102", "critical"],
    ]);
    const ids = async (query: string) => {
      // Safe: a list.
      const { data } = (await send("GET", `/api/v1/${query}`)) as unknown as {
        data: { externalId: string }[];
      };
      return data.map(({ externalId }) => externalId);
    };
    expect(await ids("accounts?attributes.renewalDate.lte=-30d")).toEqual(["102"]);
    expect(await ids("contacts?userId=ada")).toEqual(["7"]);
  },
);

test.skipIf(!Bun.which("curl"))("the requests of the guide to usage answer who stops using it", async () => {
  const account = { name: "Cedar Ltd", contactActivityAt: "2025-01-02" };
  const { printed } = await follow("docs/watch-usage.md", account);
  const [created = "", sent = "", absent, atRisk, changed = "", reasons = ""] = printed;
  expect(JSON.parse(created).data).toMatchObject({ externalId: "alder", mrr: 1250 });
  expect(JSON.parse(sent).data).toMatchObject({ accepted: 1, parked: 1, rejected: 0 });
  expect([namesIn(absent), namesIn(atRisk)]).toEqual([["Cedar Ltd"], ["Cedar Ltd"]]);
  const tiers = JSON.parse(changed).data.map(({ after }: { after: { tier: string } }) => after.tier);
  expect(tiers).toContain("critical");
  const { factors } = JSON.parse(reasons).data;
  expect(factors.map(({ key }: { key: string }) => key)).toEqual(["contactActivity", "usageRecency"]);
});

test.skipIf(!Bun.which("curl"))("a spreadsheet is imported, asked and exported by its guide", async () => {
  const { printed, folder, send } = await follow("docs/move-from-spreadsheets.md");
  expect(printed.slice(0, 3)).toEqual([
    "3 lines of accounts: 3 created, 0 updated, 0 unchanged, 0 rejected. Nothing was stored: this was a dry run.",
    "3 lines of accounts: 3 created, 0 updated, 0 unchanged, 0 rejected.",
    "3 lines of meetings: 3 created, 0 updated, 0 unchanged, 0 rejected.",
  ]);
  expect(namesIn(printed[3])).toEqual(["Birch Inc."]);
  const { data: sent } = await send("POST", "/api/v1/events", { event: "login", externalId: "A-2" });
  expect(sent).toMatchObject({ accepted: 1 });
  const { data: account } = await send("GET", "/api/v1/accounts/external/A-2/health");
  expect(account).toMatchObject({ contactActivity: { source: "event" } });
  expect(readFileSync(join(folder, "customers-export.csv"), "utf8").trim().split("\n")).toHaveLength(4);
});
