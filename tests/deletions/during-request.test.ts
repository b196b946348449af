import { expect, test } from "bun:test";
import type { Engine } from "../../db/engine.ts";
import { createApp } from "../../src/app.ts";
import { deleteOrganization } from "../../src/organizations/delete.ts";
import { world } from "../support/world.ts";

const accounts = "/api/v1/accounts";
const times = { startAt: "2026-01-01", endAt: "2026-01-01" };

test.each([
  ["POST", accounts, { name: "New" }, "401 unauthorized"],
  ["PUT", `${accounts}/external/new`, { name: "New" }, "401 unauthorized"],
  ["POST", "/api/v1/events", { event: "read", externalId: "new" }, "401 unauthorized"],
  ["PATCH", `${accounts}/1`, { name: "New" }, "404 not_found"],
  ["DELETE", `${accounts}/1`, undefined, "404 not_found"],
  ["POST", `${accounts}/1/meetings`, { title: "New", ...times }, "404 not_found"],
])(
  "%s %s in an organization that is deleted after the key was checked",
  async (method, path, body, outcome) => {
    const { account, engine, first, jobs, lines, second, call } = await world();
    await account({ name: "Acme", externalId: "acme" });
    let deletion: Promise<unknown> | undefined;
    const deleting: Engine = {
      ...engine,
      async write(organizationId, fn, options) {
        deletion ??= deleteOrganization(engine, organizationId);
        await deletion;
        return engine.write(organizationId, fn, options);
      },
    };
    const log = { info: () => {}, error: (event: string) => void lines.push({ event, fields: undefined }) };
    const app = createApp({ engine: deleting, jobs, log });
    const headers = { "x-api-key": first.key, "content-type": "application/json" };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const response = await app.fetch(new Request(`http://localhost${path}`, init));
    const { code } = (await response.json()) as { code?: string };
    expect(`${response.status} ${code}`).toBe(outcome);
    expect(response.headers.has("www-authenticate")).toBe(response.status === 401);
    expect(lines).toEqual([]);
    expect((await call("POST", accounts, { name: "New" }, { key: second.key })).status).toBe(201);
  },
);
