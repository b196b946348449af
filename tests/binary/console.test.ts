import { expect, setDefaultTimeout, test } from "bun:test";
import { folder, output, run, start } from "./binary.ts";
import { quickstart } from "./served-quickstart.ts";
import { logOf, service } from "./service.ts";

setDefaultTimeout(60_000);

const fromConsole = { "x-accountd-console": "1", "content-type": "application/json" };

function signIn(url: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${url}/console/session`, {
    method: "POST",
    headers: { ...fromConsole, ...headers },
    body: JSON.stringify(body),
  });
}

test("the binary serves the console and its files, and logs its requests without tokens", async () => {
  const { url, key, server } = await service({ LOG_REQUESTS: "true" });
  expect(new URL((await fetch(url)).url).pathname).toBe("/console");
  const html = await (await fetch(`${url}/console/accounts/42`)).text();
  const files = [...html.matchAll(/(?:src|href)="(\/console\/[^"]+)"/g)].map(([, path = ""]) => path);
  expect(files).toHaveLength(2);
  for (const path of files) {
    const file = await fetch(url + path);
    expect([path, file.status, file.headers.get("content-encoding")]).toEqual([path, 200, "gzip"]);
    expect((await file.text()).length).toBeGreaterThan(10);
  }
  const reply = await signIn(url, { key });
  const cookie = reply.headers.get("set-cookie")?.split(";")[0] ?? "";
  const accounts = await fetch(`${url}/api/v1/accounts`, { headers: { ...fromConsole, cookie } });
  expect([reply.status, accounts.status]).toEqual([200, 200]);
  await fetch(`${url}/console/accounts/${key}`);
  await server.stop();
  const paths = logOf(server).flatMap(({ path }) => path ?? []);
  expect(paths).toContain("/console/accounts/42");
  expect(paths).toContain("/console/accounts/…");
  expect(paths).toContain("/console/assets/…");
  expect(paths).toContain("/console/session");
  for (const secret of [key, cookie.split(".")[1] ?? ""]) expect(server.stderr()).not.toContain(secret);
});

test("the cookie is Secure if a trusted proxy reports TLS", async () => {
  const isSecure = async (url: string, key: string, proto: string) =>
    (await signIn(url, { key }, { "x-forwarded-proto": proto })).headers
      .get("set-cookie")
      ?.endsWith("; Secure");
  const direct = await service();
  expect(await isSecure(direct.url, direct.key, "https")).toBe(false);
  const proxied = await service({ TRUSTED_PROXIES: "127.0.0.1" });
  for (const [proto, expected] of [
    ["https", true],
    ["HTTPS, http", true],
    ["http", false],
    ["http, https", false],
    ["", false],
  ] as const)
    expect([proto, await isSecure(proxied.url, proxied.key, proto)]).toEqual([proto, expected]);
});

test("the quickstart prints a link that signs in once, to all of its data and keys", async () => {
  const { server, text, key } = await quickstart(folder());
  const link = /^ *(http:\S+\/console#link=(\S+))$/m.exec(text);
  const [, address = "", token = ""] = link ?? [];
  expect(address).toBe(`${server.url}/console#link=${token}`);
  const reply = await signIn(server.url, { link: token });
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any member of a reply and compares it.
  const { data } = (await reply.json()) as any;
  expect([reply.status, data.organization.name, data.key.lastFour]).toEqual([
    200,
    "Quickstart",
    key.slice(-4),
  ]);
  expect(data.scopes).toEqual(["read", "write", "events", "admin"]);
  const cookie = reply.headers.get("set-cookie")?.split(";")[0] ?? "";
  const get = async (path: string) =>
    JSON.parse(await (await fetch(server.url + path, { headers: { ...fromConsole, cookie } })).text());
  expect(await get("/api/v1/accounts?pageSize=1")).toMatchObject({ pagination: { total: 503 } });
  const keys = await get("/api/v1/keys");
  expect(keys.pagination.total).toBe(1);
  expect(Date.parse(keys.data[0].expiresAt) - Date.parse(keys.data[0].createdAt)).toBe(24 * 3_600_000);
  expect((await signIn(server.url, { link: token })).status).toBe(401);
});

test("quickstart --json has the link as console, and none with --console off", async () => {
  for (const [flags, expected] of [
    [[], /^http:\S+\/console#link=\d+\.[\w-]{43}$/],
    [["--console", "off"], undefined],
  ] as const) {
    const args = ["quickstart", "--port", "0", "--json", ...flags];
    const server = await start(args, {}, /"url":"(http:[^"]+)"[^\n]*\n/);
    const printed = JSON.parse(server.stdout());
    expect(Object.keys(printed)).toEqual([
      "url",
      "key",
      "database",
      "documentation",
      ...(expected ? ["console"] : []),
    ]);
    if (expected) expect(printed.console).toMatch(expected);
  }
});

test("console link signs in once to the running server, with a new key or a given one", async () => {
  const { url, cwd, send } = await service();
  const link = async (...flags: string[]) => {
    const args = ["console", "link", "--organization", "acme", "--json", ...flags];
    const result: { link: string; keyId: number } = JSON.parse(await output(args, { cwd }));
    const [page = "", token = ""] = result.link.split("#link=");
    return { ...result, page, token };
  };
  const created = await link("--scope", "read,write");
  expect([created.page, created.keyId]).toEqual([`${url}/console`, 2]);
  const first = await signIn(url, { link: created.token });
  expect([first.status, await first.json()]).toEqual([
    200,
    {
      data: {
        organization: { name: "Acme", currency: null, numberFormat: null },
        key: { id: 2, name: "console link", lastFour: expect.any(String) },
        scopes: ["read", "write"],
        expiresAt: expect.any(String),
      },
    },
  ]);
  expect((await signIn(url, { link: created.token })).status).toBe(401);
  const ofKey = await link("--key", "1", "--server", "https://accounts.example.com/");
  expect([ofKey.page, ofKey.keyId]).toEqual(["https://accounts.example.com/console", 1]);
  expect(await (await signIn(url, { link: ofKey.token })).json()).toMatchObject({ data: { key: { id: 1 } } });
  expect((await send("GET", "/api/v1/accounts")).status).toBe(200);

  await output(["keys", "revoke", "2"], { cwd });
  const fault = async (...flags: string[]) => {
    const { stderr } = await run(["console", "link", "--organization", "acme", "--json", ...flags], { cwd });
    return JSON.parse(stderr).error.code;
  };
  expect(await fault("--key", "2")).toBe("not_found");
  expect(await fault("--key", "x")).toBe("usage_error");
  expect(await fault("--scope", "events")).toBe("usage_error");
});

test("console link needs a running server with a console", async () => {
  const { cwd, server, url } = await service({ CONSOLE: "off" });
  expect((await fetch(`${url}/console`)).status).toBe(404);
  const code = async () => {
    const { stderr } = await run(["console", "link", "--organization", "acme", "--json"], { cwd });
    return JSON.parse(stderr).error.code;
  };
  expect(await code()).toBe("console_off");
  await server.stop();
  expect(await code()).toBe("server_unreachable");
});

test("organizations rename and keys rename print the new names", async () => {
  const { cwd, send } = await service();
  expect(await output(["organizations", "rename", "acme", "Acme Inc."], { cwd })).toBe(
    "Organization 1 is renamed: Acme Inc.",
  );
  expect(await output(["keys", "rename", "1", "importer"], { cwd })).toBe("Key 1 is renamed: importer");
  const { data } = (await send("GET", "/api/v1/me")).body;
  expect([data.organization.name, data.key.name]).toEqual(["Acme Inc.", "importer"]);
  expect((await run(["organizations", "rename", "acme"], { cwd })).stderr).toStartWith(
    "The NEW-NAME is missing.",
  );
});
