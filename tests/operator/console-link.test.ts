import { expect, test } from "bun:test";
import { beginSession, findSession } from "../../src/api-keys/sessions.ts";
import { operatorOf } from "../support/operator.ts";
import { world } from "../support/world.ts";

test("a link begins one session, and only of a key of its organization", async () => {
  const { engine, first, second } = await world();
  const { request } = operatorOf(engine);
  const link = (organizationId: number, body: object) =>
    request("/operator/console-links", { method: "POST", organization: String(organizationId), body });
  const { token, keyId, url } = await link(first.id, {});
  expect(url).toBeUndefined();
  const session = await beginSession(engine, { kind: "link", secret: token });
  const found = await findSession(engine, session ?? "");
  expect(found?.key).toMatchObject({ id: keyId, organizationId: first.id, name: "console link" });
  expect(await beginSession(engine, { kind: "link", secret: token })).toBeUndefined();
  expect(await link(second.id, { keyId }).catch((error) => error.code)).toBe("not_found");
  expect((await link(first.id, { keyId })).keyId).toBe(keyId);
});
