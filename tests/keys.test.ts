import { expect, test } from "bun:test";
import { createKey, findUsableKey, listKeys, revokeKey, touchKey } from "../src/api-keys/store.ts";
import { world } from "./support/world.ts";

test("keys are listed oldest first, of one organization or of all, and never with their secret", async () => {
  const { store, first, second, now } = await world();
  const given = { organizationId: first.id, name: "late", expiresAt: now() + 1, now: now() };
  const { secret, key } = await createKey(store, given);
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
  const owners = (await listKeys(store)).map((one) => one.organizationId);
  expect(owners).toEqual([first.id, second.id, first.id]);
  expect((await listKeys(store, first.id)).map((one) => one.name)).toEqual(["test", "late"]);
  expect(await listKeys(store, 404)).toEqual([]);
});

test("a key that is revoked again keeps the moment at which it was revoked, and no other key is touched", async () => {
  const { store, first, now } = await world();
  const given = { organizationId: first.id, name: "old", expiresAt: null, now: now() };
  const { secret, key } = await createKey(store, given);
  expect((await revokeKey(store, key.id, 1))?.revokedAt).toBe(1);
  expect((await revokeKey(store, key.id, 2))?.revokedAt).toBe(1);
  expect(await revokeKey(store, 404, 3)).toBeUndefined();
  expect((await listKeys(store)).map(({ revokedAt }) => revokedAt)).toEqual([null, null, 1]);
  expect(await findUsableKey(store, secret, 0)).toBeUndefined();
});

test("the use of a key is noted of this key alone", async () => {
  const { store, second, now } = await world();
  await touchKey(store, second.id, now());
  expect((await listKeys(store)).map(({ lastUsedAt }) => lastUsedAt)).toEqual([null, now()]);
});
