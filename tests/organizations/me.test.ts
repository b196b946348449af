import { expect, test } from "bun:test";
import { type Scope, scopes } from "../../src/core/tenant/scopes.ts";
import { consoleWorld } from "../console/console-world.ts";
import { storeKey } from "../support/keys.ts";
import { world } from "../support/world.ts";

const path = "/api/v1/me";

test.each<Scope>([...scopes])(
  "a key with only the scope %s can read its organization and itself",
  async (scope) => {
    const { call, engine, first, second } = await world();
    for (const { id, name } of [
      { id: first.id, name: "First" },
      { id: second.id, name: "Second" },
    ]) {
      const expiresAt = Date.UTC(2099, 0, 1);
      const key = { organizationId: id, name: `of ${name}`, expiresAt, scopes: [scope], rateLimit: 7 };
      const stored = await storeKey(engine, key);
      const { status, body } = await call("GET", path, undefined, { key: stored.secret });
      expect([status, body]).toEqual([
        200,
        {
          data: {
            organization: { id, name, currency: null, numberFormat: null },
            key: {
              id: stored.key.id,
              name: `of ${name}`,
              scopes: [scope],
              rateLimit: 7,
              expiresAt: "2099-01-01T00:00:00.000Z",
            },
          },
        },
      ]);
    }
  },
);

test("a key without an expiry and a limit has null for both, and is the same as in the list of keys", async () => {
  const { call, engine, first } = await world();
  const { secret, key } = await storeKey(engine, {
    organizationId: first.id,
    name: "all",
    expiresAt: null,
    scopes: [...scopes],
  });
  const own = (await call("GET", path, undefined, { key: secret })).body.data.key;
  expect([own.expiresAt, own.rateLimit]).toEqual([null, null]);
  const listed = (await call("GET", `/api/v1/keys/${key.id}`, undefined, { key: secret })).body.data;
  expect(listed).toMatchObject(own);
});

test("without a valid key it is 401, with an unknown parameter 400, and another method 405", async () => {
  const { call, engine, first } = await world();
  const { secret } = await storeKey(engine, { organizationId: first.id, name: "", scopes: ["events"] });
  for (const invalid of [null, "x"])
    expect((await call("GET", path, undefined, { key: invalid })).status).toBe(401);
  expect((await call("GET", `${path}?x=1`)).body.code).toBe("unknown_parameter");
  expect((await call("POST", path, {}, { key: secret })).headers.get("allow")).toBe("GET, HEAD");
});

test("a session of the console reads the key that signed in", async () => {
  const { send, signIn, first } = await consoleWorld();
  const { data } = (await send("GET", path, { token: await signIn() })).body;
  expect([data.organization, data.key.name]).toEqual([
    { id: first.id, name: "First", currency: null, numberFormat: null },
    "test",
  ]);
});
