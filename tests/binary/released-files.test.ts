import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { folder, output, start } from "./binary.ts";
import { sendRequest } from "./service.ts";

setDefaultTimeout(60_000);

const released = join(import.meta.dir, "released");

/** A file that the program of this version wrote, with a key of its organization and what that program replied. */
async function readReleased(version: string, file: string): Promise<{ key: string; replies: object }> {
  const compressed = await Bun.file(join(released, `${version}.db.zst`)).bytes();
  await Bun.write(file, await Bun.zstdDecompress(compressed));
  return Bun.file(join(released, `${version}.json`)).json();
}

test.each(["0.1.0", "0.2.0", "0.3.0", "0.4.0"])(
  "a file that %s wrote is upgraded and sound; the old key reads all fields of the old replies, and writes",
  async (version) => {
    const cwd = folder();
    mkdirSync(join(cwd, "data"), { mode: 0o700 });
    const file = join(cwd, "data/accountd.db");
    const { key, replies } = await readReleased(version, file);
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
