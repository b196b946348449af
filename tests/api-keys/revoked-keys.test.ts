import { expect, test } from "bun:test";
import { revokeKey } from "../../src/api-keys/store.ts";
import { scopes } from "../../src/core/tenant/scopes.ts";
import { storeKey } from "../support/keys.ts";
import { beginning, world } from "../support/world.ts";

const keys = "/api/v1/keys";
const accounts = "/api/v1/accounts";
const bodies: Record<string, object> = { [keys]: { name: "new" }, [accounts]: { name: "New" } };

/** A world with a key, and a function that sends a POST whose body ends after `meanwhile`. */
async function slowWorld(expiresAt: number | null = null) {
  const here = await world();
  const { app, engine, first, rows } = here;
  const { secret, key } = await storeKey(engine, { organizationId: first.id, name: "", expiresAt, scopes });
  return {
    ...here,
    key,
    async post(path: string, meanwhile: () => unknown) {
      const text = JSON.stringify(bodies[path]);
      const parts = [text.slice(0, 5), text.slice(5)];
      const body = new ReadableStream(
        {
          // The body is read after the key was checked.
          async pull(controller) {
            if (parts.length === 1) await meanwhile();
            const part = parts.shift();
            if (part === undefined) controller.close();
            else controller.enqueue(new TextEncoder().encode(part));
          },
        },
        { highWaterMark: 0 },
      );
      const headers = { "x-api-key": secret, "content-type": "application/json" };
      return (await app.fetch(new Request(`http://localhost${path}`, { method: "POST", headers, body })))
        .status;
    },
    stored: () =>
      rows("SELECT (SELECT count(*) FROM accounts) AS accounts, (SELECT count(*) FROM api_keys) AS keys"),
  };
}

const unchanged = [{ accounts: 0, keys: 3 }];

test.each([accounts, keys])(
  "POST %s stores nothing when its key is revoked while its body is sent",
  async (path) => {
    const { engine, key, pass, post, stored } = await slowWorld();
    const revoke = async () => {
      await revokeKey(engine, key.id);
      pass(1_001);
    };
    expect([await post(path, revoke), await stored()]).toEqual([401, unchanged]);
  },
);

test.each([accounts, keys])(
  "POST %s stores nothing when its key expires while its body is sent",
  async (path) => {
    const { pass, post, stored } = await slowWorld(beginning + 2_000);
    expect([await post(path, () => pass(2_000)), await stored()]).toEqual([401, unchanged]);
  },
);

test.each([accounts, keys])("POST %s succeeds after a slow body with a valid key", async (path) => {
  const { pass, post } = await slowWorld(beginning + 7_200_000);
  expect(await post(path, () => pass(3_000_000))).toBe(201);
});

test("a key that was revoked creates no key, however soon", async () => {
  const { engine, key, post, stored } = await slowWorld();
  expect([await post(keys, () => revokeKey(engine, key.id)), await stored()]).toEqual([401, unchanged]);
});
