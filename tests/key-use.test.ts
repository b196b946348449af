import { expect, test } from "bun:test";
import type { Engine } from "../db/sqlite/engine.ts";
import { authentication, readSecret } from "../src/http/authentication.ts";
import { world } from "./support/world.ts";

const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;

test.each<[Record<string, string>, string]>([
  [{}, ""],
  [{ authorization: "" }, ""],
  [{ authorization: "Bearer" }, ""],
  [{ authorization: "Basic" }, ""],
  [{ authorization: "Bearer one" }, "one"],
  [{ authorization: "Bearer   one" }, "one"],
  [{ authorization: "bEARER one two" }, "one"],
  [{ authorization: basic("one:two:three") }, "one"],
  [{ authorization: basic("one") }, "one"],
  [{ authorization: basic(":one") }, ""],
  [{ authorization: basic("one").replace("Basic", "Digest") }, ""],
  [{ authorization: "Token one" }, ""],
  [{ "x-api-key": "", authorization: "Bearer one" }, ""],
  [{ "x-api-key": "two", authorization: "Bearer one" }, "two"],
])("the key in %j is %j", (headers, key) => {
  expect(readSecret(new Headers(headers))).toBe(key);
});

/** Authentication over a database whose changes wait until they are let through, and are counted. */
async function heldWorld() {
  const { store, first, second, now } = await world();
  const held: { go: () => void; fail: (error: unknown) => void }[] = [];
  const engine: Engine = {
    ...store,
    write: async (work) => {
      await new Promise<void>((go, fail) => held.push({ go, fail }));
      return store.write(work);
    },
  };
  const lines: unknown[] = [];
  const log = { info: () => {}, error: (...line: unknown[]) => void lines.push(line) };
  return { authenticate: authentication(engine, now, log), first, second, held, lines };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test("while the use of a key is being noted, it is not noted again, and no request waits for it", async () => {
  const { authenticate, first, second, held } = await heldWorld();
  for (let i = 0; i < 5; i += 1) expect((await authenticate(first.key)).organizationId).toBe(first.id);
  expect(held).toHaveLength(1);
  expect((await authenticate(second.key)).organizationId).toBe(second.id);
  expect(held).toHaveLength(2);
  for (const { go } of held) go();
});

test("a use that cannot be noted is logged, refuses nobody, and is noted the next time", async () => {
  const { authenticate, first, held, lines } = await heldWorld();
  await authenticate(first.key);
  held[0]?.fail(Object.assign(new Error("full"), { code: "SQLITE_FULL" }));
  await nextTurn();
  expect(lines).toEqual([["key_use_not_noted", { keyId: expect.any(Number), code: "SQLITE_FULL" }]]);
  await authenticate(first.key);
  expect(held).toHaveLength(2);
  held[1]?.go();
});
