import { expect } from "bun:test";
import { type Case, type IsolationWorld, missing, sameAsMissing } from "./isolation-world.ts";

const path = "/api/v1/keys";

/** The ids and names of the keys that the owner of `mine` lists. */
async function listed({ send }: IsolationWorld): Promise<[number, string][]> {
  const { data, pagination } = (await send("GET", path)).body;
  expect(pagination.total).toBe(data.length);
  return data.map(({ id, name }: { id: number; name: string }) => [id, name]);
}

/** The keys of an organization. `theirReplies` has those of `theirs`, except for their last use. */
export const keyCases: Record<string, Case> = {
  "GET /api/v1/keys": async (world) => {
    expect(await listed(world)).toEqual([[world.mine.key, "test"]]);
  },

  "GET /api/v1/me": async ({ send, mine }) => {
    const { organization, key } = (await send("GET", "/api/v1/me")).body.data;
    expect([organization.name, key.id, key.name]).toEqual(["Second", mine.key, "test"]);
  },

  "GET /api/v1/organization": async ({ send }) => {
    expect((await send("GET", "/api/v1/organization")).body.data.name).toBe("Second");
  },

  "PATCH /api/v1/organization": async ({ send, organizationOf }) => {
    const before = await organizationOf("theirs");
    const formats = { currency: "EUR", numberFormat: "de-DE" };
    expect((await send("PATCH", "/api/v1/organization", formats)).status).toBe(200);
    expect(before).toMatchObject({ currency: null, number_format: null });
    expect(await organizationOf("mine")).toMatchObject({ currency: "EUR", number_format: "de-DE" });
    expect(await organizationOf("theirs")).toEqual(before);
  },

  "POST /api/v1/keys": async (world) => {
    const { data } = (await world.send("POST", path, { name: "new", scopes: ["read"] })).body;
    expect(await listed(world)).toEqual([
      [world.mine.key, "test"],
      [data.id, "new"],
    ]);
    const keys = await world.keysOf("theirs");
    expect(keys.map(({ id }) => id)).toEqual([world.theirs.key]);
  },

  "GET /api/v1/keys/:keyId": async ({ send, theirs }) => {
    await sameAsMissing((id) => send("GET", `${path}/${id}`), theirs.key, missing);
  },

  "DELETE /api/v1/keys/:keyId": async ({ send, theirs, keysOf }) => {
    const before = await keysOf("theirs");
    await sameAsMissing((id) => send("DELETE", `${path}/${id}`), theirs.key, missing);
    expect(await keysOf("theirs")).toEqual(before);
    expect(before).toMatchObject([{ revoked_at: null }]);
  },
};
