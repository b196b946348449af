import { expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { proxiedService } from "./proxied-service.ts";
import { documentedLines, installedProxies, type ProxyName, startProxy } from "./proxy.ts";

setDefaultTimeout(60_000);

const deploy = (name: string) => readFileSync(join(import.meta.dir, "../../deploy", name), "utf8");
const configurations: [ProxyName, string, string][] = [
  ...installedProxies.map((name): [ProxyName, string, string] => [
    name,
    "its documented lines",
    documentedLines(name),
  ]),
  ...installedProxies
    .filter((name) => name === "caddy")
    .map((name): [ProxyName, string, string] => [
      name,
      "deploy/Caddyfile.compose",
      deploy("Caddyfile.compose"),
    ]),
];

test("The documented lines for Caddy are deploy/Caddyfile", () => {
  expect(documentedLines("caddy")).toBe(deploy("Caddyfile"));
});

test.each(configurations)(
  "%s with %s logs no keys and no sessions, also when the server is down",
  async (name, _, lines) => {
    const { url, key, server } = await proxiedService();
    const proxy = await startProxy(name, url, lines);
    const request = async () =>
      (
        await fetch(`${proxy.url}/api/v1/accounts`, {
          headers: {
            "x-api-key": key,
            authorization: `Bearer ${key}`,
            cookie: `__Host-accountd-session=secret-of-a-session; session=${key}`,
          },
        })
      ).status;
    expect(await request()).toBe(200);
    await server.stop("SIGKILL");
    expect(await request()).toBeGreaterThanOrEqual(502);
    await Bun.sleep(300);
    expect(proxy.log()).not.toContain(key.slice(0, 20));
    expect(proxy.log()).not.toContain("secret-of-a-session");
  },
);
