import { expect, test } from "bun:test";
import { composeApp } from "../../src/app.ts";

// Elysia reads the sources of the hooks and handlers: a context that is passed on as a whole needs every part of it.
test("no route parses the cookies or copies the headers of a request", () => {
  const unused = () => Promise.reject(new Error("not called"));
  const app = composeApp({
    ping: unused,
    admit: unused,
    log: { info() {}, error() {} },
    budget: undefined,
    webhookRules: () => {
      throw new Error("not called");
    },
    storeState: () => "ok",
    originOf: () => "",
    console: {
      sessions: { begin: unused, find: unused, end: unused, endAll: unused },
      isOverTls: () => false,
      hasLogos: true,
      backupFailedAt: () => undefined,
    },
  });
  const slow = app.routes
    .filter(({ compile }) => /parseCookie|headers\.toJSON/.test(String(compile())))
    .map(({ method, path }) => `${method} ${path}`);
  expect(app.routes.length).toBeGreaterThan(70);
  expect(slow).toEqual([]);
});
