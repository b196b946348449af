import { describe, expect, test } from "bun:test";
import type { Body } from "../support/world.ts";
import { attributeWorld, resources } from "./attribute-world.ts";

describe.each([...resources])("$resource", (resource) => {
  async function ownersWorld(owners: readonly string[]) {
    const here = await attributeWorld(resource);
    for (const owner of owners) await here.create({ owner }, { name: owner });
    /** The names of the rows that match, by pages and by cursors. */
    const find = async (filters: Record<string, string>) => {
      const query = new URLSearchParams({ ...filters, sortBy: "createdAt", pageSize: "2" });
      const pages: string[] = [];
      let reply = await here.call("GET", `${resource.rows}?${query}`);
      const { total } = reply.body.pagination;
      for (let page = 1; ; page += 1) {
        reply = await here.call("GET", `${resource.rows}?${query}&page=${page}`);
        pages.push(...reply.body.data.map(({ name }: Body) => name));
        if (!reply.body.pagination.hasNextPage) break;
      }
      const cursors: string[] = [];
      for (let cursor: string | null = ""; cursor !== null; cursor = reply.body.pagination.nextCursor) {
        reply = await here.call("GET", `${resource.rows}?${query}&cursor=${cursor}`);
        cursors.push(...reply.body.data.map(({ name }: Body) => name));
      }
      expect([filters, cursors, total]).toEqual([filters, pages, pages.length]);
      return pages;
    };
    return { ...here, find };
  }

  test("[contains] finds a literal substring and [ieq] an equal text, both folded as names are", async () => {
    const owners = [
      "Ann Éclair",
      "ann",
      "JOANNA",
      "Straße 1",
      "STRASSE 1",
      "100 %",
      "ΣΊΣΥΦΟΣ",
      "İı",
      "\u212Aelvin",
    ];
    const { find } = await ownersWorld(owners);
    for (const [operator, text, found] of [
      ["contains", "ANN", ["Ann Éclair", "ann", "JOANNA"]],
      ["contains", "éCLAIR", ["Ann Éclair"]],
      ["contains", "e\u0301clair", ["Ann Éclair"]],
      ["contains", "ann é", ["Ann Éclair"]],
      ["contains", "ASS", ["Straße 1", "STRASSE 1"]],
      ["contains", "%", ["100 %"]],
      ["contains", "_", []],
      ["contains", "σίσυφος", ["ΣΊΣΥΦΟΣ"]],
      ["contains", "kel", ["\u212Aelvin"]],
      ["contains", "ı", ["İı"]],
      ["contains", "", owners],
      ["ieq", "ANN", ["ann"]],
      ["ieq", "strasse 1", ["Straße 1", "STRASSE 1"]],
      ["ieq", "straẞe 1", ["Straße 1", "STRASSE 1"]],
      ["ieq", "Σίσυφοσ", ["ΣΊΣΥΦΟΣ"]],
      ["ieq", "KELVIN", ["\u212Aelvin"]],
      ["ieq", "none", []],
      ["ieq", "", []],
    ] as const)
      expect([operator, text, await find({ [`attributes.owner[${operator}]`]: text })]).toEqual([
        operator,
        text,
        [...found],
      ]);
    const both = { "attributes.owner[contains]": "an", "attributes.owner[gt]": "a", search: "ANN" };
    expect(await find(both)).toEqual(["ann"]);
    expect(await find({ "attributes.unused[contains]": "a" })).toEqual([]);
    expect(await find({ "attributes.owner[contains]": "ann", "attributes.owner": "none" })).toEqual([]);
  });
});

test("thousands of texts beyond ASCII are compared; a filter that too many of them match is 400", async () => {
  const { call } = await attributeWorld(resources[0]);
  const total = async (filter: string) =>
    (await call("GET", `/api/v1/accounts?${filter}`)).body.pagination?.total;
  for (let start = 0; start < 4_500; start += 750) {
    const accounts = Array.from({ length: 750 }, (_, i) => {
      const number = String(start + i);
      return { externalId: number, name: number, attributes: { note: `${number} ${"Ж".repeat(490)}` } };
    });
    expect((await call("POST", "/api/v1/accounts/batch", { accounts })).body.data.created).toBe(750);
  }
  expect(await total(`attributes.note[contains]=${encodeURIComponent("449 ж")}`)).toBe(5);
  expect(await total(`attributes.note[ieq]=${encodeURIComponent(`4321 ${"ж".repeat(490)}`)}`)).toBe(1);
  const reply = await call("GET", `/api/v1/accounts?attributes.note[contains]=${encodeURIComponent("жж")}`);
  expect([reply.status, reply.body.errors]).toEqual([
    400,
    [{ parameter: "attributes.note[contains]", code: "too_many", detail: expect.any(String) }],
  ]);
});
