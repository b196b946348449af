import { expect, test } from "bun:test";
import { Problem } from "../../src/core/errors.ts";
import { publicPaths, RouteTable } from "../../src/http/guard/route-table.ts";

const query = { type: "object", properties: { page: {}, search: {} } };
const routes = new RouteTable([
  { method: "GET", path: "/", hooks: {} },
  { method: "GET", path: "/things", hooks: { query } },
  { method: "POST", path: "/things", hooks: {} },
  { method: "PUT", path: "/things/external/:externalId", hooks: { query: { properties: undefined } } },
  { method: "DELETE", path: "/things/:id", hooks: { query: null } },
  { method: "GET", path: "/things/:id/parts", hooks: { query: "text" } },
]);

/** The pattern of the matching route, or the code of the Problem. */
function matchOf(method: string, path: string) {
  try {
    const { pattern, parameters } = routes.find(method, path);
    return [pattern, ...parameters];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { code: error.code, headers: error.headers };
  }
}

test.each([
  ["GET", "/", ["/"]],
  ["HEAD", "/", ["/"]],
  ["GET", "/things", ["/things", "page", "search"]],
  ["HEAD", "/things", ["/things", "page", "search"]],
  ["POST", "/things", ["/things"]],
  ["PUT", "/things/external/a%2Fb", ["/things/external/:externalId"]],
  ["DELETE", "/things/1", ["/things/:id"]],
  ["DELETE", "/things/:id", ["/things/:id"]],
  ["GET", "/things/external/parts/", { code: "not_found", headers: {} }],
  ["GET", "/things/1/parts", ["/things/:id/parts"]],
])("%s %s matches %s", (method, path, pattern) => {
  expect<unknown>(matchOf(method, path)).toEqual(pattern);
});

test.each([
  "/none",
  "/things/",
  "//things",
  "/things/1/",
  "/things/1/parts/2",
  "/things/external/",
  "/Things",
])("%j is not_found for every method", (path) => {
  for (const method of ["GET", "POST", "DELETE", "NONE"])
    expect<unknown>(matchOf(method, path)).toEqual({ code: "not_found", headers: {} });
});

test.each([
  ["POST", "/", "GET, HEAD"],
  ["PATCH", "/things", "GET, HEAD, POST"],
  ["GET", "/things/1", "DELETE"],
  ["HEAD", "/things/1", "DELETE"],
  ["get", "/things", "GET, HEAD, POST"],
])("%s %s is method_not_allowed with Allow: %s", (method, path, allow) => {
  expect<unknown>(matchOf(method, path)).toEqual({ code: "method_not_allowed", headers: { allow } });
});

test("a prefix of a path without a route is not_found", () => {
  expect<unknown>(matchOf("GET", "/things/external")).toEqual({ code: "not_found", headers: {} });
});

test("exactly these paths need no key", () => {
  expect([...publicPaths]).toEqual([
    "/livez",
    "/readyz",
    "/",
    "/docs",
    "/docs/",
    "/docs/json",
    "/docs/assets/:file",
    "/docs/guides",
    "/docs/guides/",
    "/docs/guides/:name",
    "/console",
    "/console/",
    "/console/accounts",
    "/console/accounts/",
    "/console/accounts/:accountId",
    "/console/accounts/:accountId/",
    "/console/unmatched",
    "/console/unmatched/",
    "/console/import",
    "/console/import/",
    "/console/keys",
    "/console/keys/",
    "/console/assets/:file",
    "/console/session",
  ]);
});

test("unknown query parameters are a problem only under /api", () => {
  const paths = ["/api/v1/things", "/v1/batch", "/livez", "/docs", "/apis"];
  const table = new RouteTable(paths.map((path) => ({ method: "GET", path, hooks: {} })));
  expect(paths.map((path) => table.find("GET", path).isStrict)).toEqual([true, false, false, false, false]);
});
