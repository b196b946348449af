import { expect, test } from "bun:test";
import type { LogFields } from "../../src/log.ts";
import { withAccessLog } from "../../src/server/log-output.ts";
import { world } from "../support/world.ts";

const key = "ak_0123456789abcdefghijABCDEFGHIJ012345";

test.each([
  ["/livez", "/livez"],
  ["/", "/"],
  ["/docs/", "/docs/"],
  ["/api/v1/accounts?search=acme", "/api/v1/accounts"],
  ["/api/v1/accounts/42/contacts", "/api/v1/accounts/42/contacts"],
  ["/api/v1/accounts/external/acme", "/api/v1/accounts/external/…"],
  ["/api/v1/accounts/external/accounts", "/api/v1/accounts/external/…"],
  ["/api/v1/contacts/external/4915112345678", "/api/v1/contacts/external/…"],
  ["/api/v1/accounts/acme/contacts", "/api/v1/accounts/…/contacts"],
  [`/api/v1/accounts/${key}`, "/api/v1/accounts/…"],
  ["/docs/assets/acme.css", "/docs/assets/…"],
  ["/acme", "/…"],
  ["/acme/accounts/42", "/…/…/…"],
  ["/api/v1/accounts/42/acme/7", "/api/v1/accounts/42/…/…"],
  ["//api/v1/", "//api/v1/"],
])("the path %s is logged as %s", async (target, path) => {
  const { app } = await world();
  const lines: (LogFields | undefined)[] = [];
  const log = { info: (_event: string, fields?: LogFields) => void lines.push(fields), error: () => {} };
  const response = await withAccessLog(app.fetch, app.routes, log)(new Request(`http://localhost${target}`));
  const requestId = response.headers.get("x-request-id");
  const { status } = response;
  expect(lines).toEqual([{ requestId, method: "GET", path, status, milliseconds: expect.any(Number) }]);
});
