import { expect, test } from "bun:test";
import { findUsableKey, listKeys, revokeKey, touchKey } from "../../src/api-keys/store.ts";
import { storeKey } from "../support/keys.ts";
import { world } from "../support/world.ts";

test("keys are listed oldest first, of one organization or of all, and never with their secret", async () => {
  const { engine, first, second, now } = await world();
  const input = { organizationId: first.id, name: "late", expiresAt: now() + 1 };
  const { secret, key } = await storeKey(engine, input);
  const { name, organizationId, lastFour, createdAt, expiresAt, revokedAt, lastUsedAt } = key;
  expect({ name, organizationId, createdAt, expiresAt, revokedAt, lastUsedAt }).toEqual({
    name: "late",
    organizationId: first.id,
    createdAt: now(),
    expiresAt: now() + 1,
    revokedAt: null,
    lastUsedAt: null,
  });
  expect(lastFour).toBe(secret.slice(-4));
  const owners = (await listKeys(engine)).map((listed) => listed.organizationId);
  expect(owners).toEqual([first.id, second.id, first.id]);
  expect((await listKeys(engine, first.id)).map((listed) => listed.name)).toEqual(["test", "late"]);
  expect(await listKeys(engine, 404)).toEqual([]);
  expect(JSON.stringify(await listKeys(engine))).not.toContain(secret.slice(3, -4));
});

test("the name of a key is one line of at most 255 characters, and its expiry is in the future", async () => {
  const { engine, first, now } = await world();
  const store = (input: object) => storeKey(engine, { organizationId: first.id, name: "key", ...input });
  for (const name of ["x".repeat(256), "two\nlines", "\ud800"])
    await expect(store({ name })).rejects.toThrow("one line of at most 255 characters");
  await expect(store({ expiresAt: now() })).rejects.toThrow("must be in the future");
  expect((await store({ name: "😀".repeat(255), expiresAt: now() + 1 })).key.name).toBe("😀".repeat(255));
});

test("a key that is revoked again keeps the time of its revocation, and no other key is changed", async () => {
  const { engine, first, now, pass } = await world();
  const { secret, key } = await storeKey(engine, {
    organizationId: first.id,
    name: "old",
    expiresAt: null,
  });
  expect(await findUsableKey(engine, secret)).toMatchObject({ id: key.id });
  const revokedAt = now();
  expect((await revokeKey(engine, key.id))?.revokedAt).toBe(revokedAt);
  pass(1);
  expect((await revokeKey(engine, key.id))?.revokedAt).toBe(revokedAt);
  expect(await revokeKey(engine, 404)).toBeUndefined();
  expect((await listKeys(engine)).map((listed) => listed.revokedAt)).toEqual([null, null, revokedAt]);
  expect(await findUsableKey(engine, secret)).toBeUndefined();
});

test("the use of a key is stored for this key only", async () => {
  const { engine, second, now } = await world();
  const [, key] = await listKeys(engine);
  if (!key) throw new Error("there is no second key");
  expect(key.organizationId).toBe(second.id);
  await touchKey(engine, key);
  expect((await listKeys(engine)).map(({ lastUsedAt }) => lastUsedAt)).toEqual([null, now()]);
});
