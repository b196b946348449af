import { expect, test } from "bun:test";
import { readConsoleAssets } from "../../src/console/assets.ts";
import { publicPaths } from "../../src/http/guard/route-table.ts";
import { world } from "../support/world.ts";

const path = "/api/v1/accounts";

test("the detail has the closest valid name, or all valid names when none is close", async () => {
  const { call } = await world();
  const detail = async (query: string) => (await call("GET", `${path}?${query}`)).body.detail;
  expect(await detail("sortby=mrr")).toBe("Unknown query parameter: did you mean `sortBy`?");
  expect(await detail("statsu=churned&pagesize=5")).toBe(
    "2 unknown query parameters: did you mean `status`, `pageSize`?",
  );
  expect(await detail("attributes.plan[gtt]=5")).toBe(
    "Unknown query parameter: did you mean `attributes.NAME.gt`?",
  );
  for (const query of ["attributes.a-b=1", "attribute.plan=pro", "attributes=1"])
    expect(await detail(query)).toBe("Unknown query parameter: did you mean `attributes.NAME`?");
  expect(await detail("plan=pro")).toEndWith(
    "Custom attributes are filtered as `attributes.NAME`, such as `attributes.plan=pro`.",
  );
  expect(await detail("unrelated=critical")).toMatch(
    /^Unknown query parameter\. The valid names are `page`, `pageSize`, .*`sortOrder`, `attributes\.NAME`, `include`, `fields`\. Operators: .*\.$/,
  );
});

test("a parameter of another method of the path is unknown", async () => {
  const { call } = await world();
  const { body } = await call("POST", `${path}?page=1`, { name: "Acme" });
  expect(body.detail).toBe("Unknown query parameter. The valid names are `dryRun`, `include`, `fields`.");
  expect((await call("GET", path)).body.pagination.total).toBe(0);
});

test("HEAD rejects the same parameters as GET", async () => {
  const { call } = await world();
  expect((await call("HEAD", `${path}?page=1`)).status).toBe(200);
  expect((await call("HEAD", `${path}?pgae=1`)).status).toBe(400);
});

test("the query is checked after path, method and key, and before the body", async () => {
  const { call } = await world();
  const code = async (...request: Parameters<typeof call>) => (await call(...request)).body.code;
  expect(await code("GET", "/api/v1/nowhere?x=1")).toBe("not_found");
  expect(await code("PUT", `${path}?x=1`)).toBe("method_not_allowed");
  expect(await code("GET", `${path}?x=1`, undefined, { key: null })).toBe("unauthorized");
  expect(await code("POST", `${path}?x=1`, "{")).toBe("unknown_parameter");
  expect(await code("GET", `${path}?x=1&page=0`)).toBe("unknown_parameter");
});

test("public paths and /v1 ignore unknown parameters", async () => {
  const { app, call } = await world();
  const { script } = await readConsoleAssets();
  for (const pattern of publicPaths) {
    const file = pattern.startsWith("/console") ? script.address.split("/").at(-1) : "start.js";
    const address = `${pattern.replace(":file", file ?? "").replace(":name", "api")}?x=1`;
    const { status } = await app.fetch(new Request(`http://localhost${address}`));
    expect([pattern, status < 400]).toEqual([pattern, true]);
  }
  expect((await call("POST", "/v1/batch?x=1", { batch: [] })).status).toBe(200);
});
