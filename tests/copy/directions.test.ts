import { afterAll, beforeAll, expect, test } from "bun:test";
import { serve } from "../support/server.ts";
import {
  accountd,
  contentOf,
  copy,
  deletedId,
  newFile,
  newUrl,
  runSql,
  sourceWorld,
  useServer,
} from "./copy-world.ts";

let stop = async () => {};
beforeAll(async () => {
  stop = await useServer();
});
afterAll(() => stop());

test("every row is copied to the other engine and back, and between two databases of one engine", async () => {
  const { file } = await sourceWorld();
  const expected = await contentOf(file);
  expect(Object.entries(expected).filter(([, rows]) => rows.length === 0)).toEqual([]);
  expect(expected.accounts?.filter((row) => row.length > 100_000)).toHaveLength(1);
  const [url, otherUrl, back, otherFile] = [await newUrl(), await newUrl(), newFile(), newFile()];
  for (const [from, to] of [
    [file, url],
    [url, otherUrl],
    [otherUrl, back],
    [back, otherFile],
  ] as const) {
    const { differing, rowCounts } = await copy(from, to, { batchRows: 3 });
    expect(differing).toEqual([]);
    expect(rowCounts).toEqual(
      Object.fromEntries(Object.entries(expected).map(([name, rows]) => [name, rows.length])),
    );
    expect(await contentOf(to)).toEqual(expected);
  }
  const sequences = "SELECT name, seq FROM sqlite_sequence ORDER BY name";
  expect(await runSql(otherFile, sequences)).toEqual(await runSql(file, sequences));
});

test.each(["PostgreSQL", "SQLite"])(
  "the copy is served by %s: keys work, and ids and sequence numbers continue",
  async (engine) => {
    const { file, one } = await sourceWorld();
    const url = await newUrl();
    await copy(file, url);
    const target = engine === "SQLite" ? newFile() : url;
    if (target !== url) await copy(url, target);
    const { url: server } = await serve(target);
    const send = async (path: string, body?: unknown) => {
      const reply = await fetch(`${server}/api/v1/${path}`, {
        method: body ? "POST" : "GET",
        headers: { "x-api-key": one.key, "content-type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return (await reply.json()) as { data: { id: number; sequence: number }[] & { id: number } };
    };
    const [last] = await runSql(file, `SELECT max(sequence) FROM changes WHERE organization_id = ${one.id}`);
    const before = Number(last?.[0]);
    expect(before).toBeGreaterThan(1);
    const created = await send("accounts", { name: "After the copy" });
    expect(created.data.id).toBe(deletedId + 1);
    const feed = await send(`changes?after=${before}`);
    expect(feed.data.map(({ sequence }) => sequence)).toEqual([before + 1]);
    const organization = await accountd("organizations", "create", "New", "--json", "--database", target);
    expect(JSON.parse(organization.stdout).id).toBe(deletedId + 1);
  },
);

test("in PostgreSQL, no transaction of an organization is earlier than its last change", async () => {
  const { file, one } = await sourceWorld();
  const url = await newUrl();
  await copy(file, url);
  const [last] = await runSql(file, `SELECT max(changed_at) FROM changes WHERE organization_id = ${one.id}`);
  const [lock] = await runSql(
    url,
    `SELECT last_transaction_at FROM organization_locks WHERE organization_id = ${one.id}`,
  );
  expect(Number(lock?.[0])).toBe(Number(last?.[0]));
});

test.each(["SQLite", "PostgreSQL"])(
  "the copy is that of one snapshot of %s: a row that is stored meanwhile is not in it",
  async (engine) => {
    const { file } = await sourceWorld();
    const expected = await contentOf(file);
    const url = await newUrl();
    if (engine === "PostgreSQL") await copy(file, url);
    const [from, to] = engine === "PostgreSQL" ? [url, newFile()] : [file, url];
    const insert =
      "INSERT INTO last_seen SELECT organization_id, account_id, 'later', 1 FROM last_seen LIMIT 1";
    let isInserted = false;
    const { differing } = await copy(from, to, {
      batchRows: 3,
      onTable: async () => {
        if (!isInserted) await runSql(from, insert);
        isInserted = true;
      },
    });
    expect(differing).toEqual([]);
    expect(await contentOf(to)).toEqual(expected);
    expect(await contentOf(from)).not.toEqual(expected);
  },
);
