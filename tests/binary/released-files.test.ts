import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { folder, output, start } from "./binary.ts";
import { sendRequest } from "./service.ts";

setDefaultTimeout(60_000);

const released = join(import.meta.dir, "released");

type Released = { key: string; replies: object };
/** A create with an Idempotency-Key, and what the reply to it had. */
type Keyed = { path: string; idempotencyKey: string; body: object; headers: object; reply: { data: object } };

/** A folder with a file that the program of this version wrote, a key of its organization and what that program replied. */
async function readReleased<R extends Released>(version: string): Promise<R & { cwd: string; file: string }> {
  const cwd = folder();
  mkdirSync(join(cwd, "data"), { mode: 0o700 });
  const file = join(cwd, "data/accountd.db");
  const compressed = await Bun.file(join(released, `${version}.db.zst`)).bytes();
  await Bun.write(file, await Bun.zstdDecompress(compressed));
  return { ...(await Bun.file(join(released, `${version}.json`)).json()), cwd, file };
}

test.each(["0.1.0", "0.2.0", "0.3.0", "0.4.0"])(
  "a file that %s wrote is upgraded and sound; the old key reads all fields of the old replies, and writes",
  async (version) => {
    const { cwd, key, replies } = await readReleased(version);
    const server = await start(["serve", "--port", "0"], { cwd });
    const paths = Object.keys(replies);
    const bodies = await Promise.all(
      paths.map(async (path) => [path, (await sendRequest(server.url, key, "GET", path)).body]),
    );
    expect(Object.fromEntries(bodies)).toMatchObject(replies);
    const created = await sendRequest(server.url, key, "POST", "/api/v1/accounts", { name: "New" });
    expect(created.body).toMatchObject({ data: { id: 3, name: "New" } });
    expect(await server.stop()).toBe(0);
    expect(await output(["check"], { cwd })).toBe("data/accountd.db is sound.");
  },
);

test("a create that 0.4.0 stored with its Idempotency-Key has the same reply again, and no further effect", async () => {
  const { cwd, file, key, keyed } = await readReleased<Released & { keyed: Keyed }>("0.4.0");
  const database = new Database(file);
  // A reply is kept for a day.
  database.run("UPDATE idempotency_keys SET created_at = ?", [Date.now()]);
  database.close();
  const { url } = await start(["serve", "--port", "0"], { cwd });
  const post = (body: object) =>
    fetch(url + keyed.path, {
      method: "POST",
      headers: {
        "x-api-key": key,
        "content-type": "application/json",
        "idempotency-key": keyed.idempotencyKey,
      },
      body: JSON.stringify(body),
    });
  for (let i = 0; i < 2; i += 1) {
    const response = await post(keyed.body);
    expect([response.status, await response.text()]).toEqual([201, JSON.stringify(keyed.reply)]);
    const headers = Object.fromEntries(response.headers);
    expect(headers).toMatchObject({ ...keyed.headers, "idempotent-replayed": "true" });
  }
  const other = await post({ ...keyed.body, name: "Grace" });
  expect([other.status, await other.json()]).toMatchObject([422, { code: "idempotency_key_reused" }]);
  const contacts = await sendRequest(url, key, "GET", keyed.path);
  expect(contacts.body.data).toEqual([keyed.reply.data]);
});
