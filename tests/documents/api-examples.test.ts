import { expect, setDefaultTimeout, test } from "bun:test";
import { temporaryFile } from "../support/world.ts";
import { codeBlocks, documentAt, sectionOf } from "./documents.ts";
import { examplesWorld } from "./examples-world.ts";

setDefaultTimeout(60_000);

test.skipIf(!Bun.which("curl"))(
  "every shell example of docs/api.md succeeds, also a second time",
  async () => {
    const { send, run } = await examplesWorld();
    expect((await send("POST", "/api/v1/accounts", { name: "Initech" })).data.id).toBe(1);
    await send("PATCH", "/api/v1/accounts/1", { contactActivityAt: "2025-11-01" });
    const blocks = codeBlocks(documentAt("docs/api.md"), "sh");
    expect(blocks.length).toBeGreaterThan(4);
    const printed = new Map<string, string>();
    for (const block of [...blocks, ...blocks]) printed.set(block, await run(block));

    const replyOf = (part: string) =>
      JSON.parse(last([...printed].find(([block]) => block.includes(part))?.[1]));
    expect(replyOf("If-Match").data).toMatchObject({ id: 1, mrr: 1500 });
    expect(replyOf("contactActivityAt.lt").data).toMatchObject([{ id: 1, name: "Initech" }]);
    expect(replyOf("content-encoding: gzip").data).toMatchObject({ unchanged: 1, failed: 0 });
    expect(replyOf("/api/v1/keys").data).toMatchObject({
      scopes: ["read"],
      expiresAt: "2099-12-31T00:00:00.000Z",
    });
    expect((await send("GET", "/api/v1/accounts?search=Globex")).pagination.total).toBe(1);
    expect((await send("GET", "/api/v1/contacts?email=ada@example.com")).pagination.total).toBe(1);
  },
);

function last(text = ""): string {
  return text.split("\n").at(-1) ?? "";
}

test("the program of docs/api.md reads a whole list while rows are created and deleted", async () => {
  const { send, key, url } = await examplesWorld();
  const [program = ""] = codeBlocks(sectionOf("docs/api.md", "### Cursors"), "js");
  const module = temporaryFile("list.mjs");
  await Bun.write(module, program);
  type Options = { server: string; key: string; path: string };
  const { readList }: { readList(options: Options): AsyncIterable<{ id: number }> } = await import(module);
  const accounts = Array.from({ length: 250 }, (_, i) => ({
    externalId: `account-${i}`,
    name: `Company ${i}`,
  }));
  await send("POST", "/api/v1/accounts/batch", { accounts });

  const ids: number[] = [];
  for await (const { id } of readList({ server: url, key, path: "/api/v1/accounts?sortBy=createdAt" })) {
    // The rows of the first page: none of the later pages moves.
    if (id === 50)
      for (let deleted = 1; deleted <= 50; deleted += 1)
        await fetch(new URL(`/api/v1/accounts/${deleted}`, url), {
          method: "DELETE",
          headers: { "x-api-key": key },
        });
    ids.push(id);
  }
  expect(ids).toEqual(Array.from({ length: 250 }, (_, i) => i + 1));
  const refused = readList({ server: url, key, path: "/api/v1/accounts?sortBy=size" })[
    Symbol.asyncIterator
  ]();
  expect(async () => refused.next()).toThrow("sortBy");
});
