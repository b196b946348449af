import { expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { encodeText, encodingOf } from "../../src/shared/imports/encodings.ts";
import { bash } from "../support/bash.ts";
import { command } from "../support/server.ts";
import { temporaryFile } from "../support/world.ts";
import { codeBlocks, sectionOf } from "./documents.ts";

setDefaultTimeout(60_000);

/** Writes the files of a guide, runs its commands in their order, and returns what they print. */
async function follow(heading: string, encoding = "utf-8") {
  const file = temporaryFile("accountd.db");
  const folder = dirname(file);
  await command("organizations", "create", "acme", "--database", file);
  const section = sectionOf("docs/operations.md", heading);
  const files = section.matchAll(/`([\w-]+\.csv)`[^\n]*\n\n```csv\n([\s\S]*?)^```$/gm);
  for (const [, name = "", content = ""] of files)
    writeFileSync(join(folder, name), encodeText(content, encodingOf(encoding)));
  const printed = [];
  for (const block of codeBlocks(section, "sh"))
    printed.push(await bash(block, { DATABASE_URL: file }, folder));
  const rows = async (resource: string) => {
    const words = ["export", "--organization", "acme", "--resource", resource, "--format", "jsonl"];
    const text = await command(...words, "--database", file);
    return text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  };
  return { printed, rows };
}

const countsOf = (printed: readonly string[]) =>
  printed.map((text) => text.replace(/ Nothing was stored.*/, ""));

test("the companies and contacts of a HubSpot export are imported by the commands of the guide", async () => {
  const { printed, rows } = await follow("### Import a HubSpot export");
  expect(countsOf(printed)).toEqual([
    "2 lines of accounts: 2 created, 0 updated, 0 unchanged, 0 rejected.",
    "2 lines of accounts: 2 created, 0 updated, 0 unchanged, 0 rejected.",
    "2 lines of contacts: 2 created, 0 updated, 0 unchanged, 0 rejected.",
  ]);
  expect(await rows("accounts")).toMatchObject([
    {
      ...{ externalId: "15728941234", name: "Alder GmbH", status: "active" },
      attributes: { owner: "Erin Olin", revenue: 12_500 },
    },
    { externalId: "15728941235", name: "Birch Inc.", status: "churned", attributes: { revenue: 900 } },
  ]);
  expect(await rows("contacts")).toMatchObject([
    { externalId: "101", accountExternalId: "15728941234", name: "Ada Byron", email: "ada@alder.example" },
    { externalId: "102", accountExternalId: "15728941235", name: "Cher", email: "cher@birch.example" },
  ]);
});

test("a spreadsheet in Windows-1252 is imported by the commands of the guide, its rejected line too", async () => {
  const { printed, rows } = await follow("### Move from a spreadsheet", "windows-1252");
  expect(printed).toEqual([
    "3 lines of accounts: 2 created, 0 updated, 0 unchanged, 1 rejected.",
    "1 line of accounts: 1 created, 0 updated, 0 unchanged, 0 rejected.",
  ]);
  const of = (externalId: string, name: string, mrr: number, status: string, tariff: string) => ({
    ...{ externalId, name, mrr, status, attributes: { tariff } },
  });
  expect(await rows("accounts")).toMatchObject([
    {
      ...of("K-1", "Müller & Söhne", 1250.5, "active", "Pro"),
      contactActivityAt: "2026-01-13T00:00:00.000Z",
    },
    {
      ...of("K-2", "Schreiner Weiß", 900, "churned", "Start"),
      contactActivityAt: "2026-02-05T00:00:00.000Z",
    },
    { ...of("K-3", "Café Noël", 12.5, "active", "Pro"), contactActivityAt: null },
  ]);
});
