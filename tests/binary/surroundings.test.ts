import { expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { folder, output, run, start } from "./binary.ts";
import { binary } from "./build.ts";
import { sendRequest, service } from "./service.ts";

setDefaultTimeout(60_000);

const accounts = "/api/v1/accounts";
const canary = "canary-7f3a";

/** Sends values of the wrong type in bodies, queries and paths, and describes the replies. */
async function rejections(
  send: (method: string, path: string, body?: unknown) => ReturnType<typeof sendRequest>,
) {
  const replies = [
    await send("POST", accounts, { name: { [canary]: canary } }),
    await send("POST", accounts, { name: "x", status: canary, mrr: canary }),
    await send("PATCH", `${accounts}/1`, { mrr: canary }),
    await send("GET", `${accounts}?sortBy=${canary}`),
    await send("GET", `${accounts}?page=${canary}`),
    await send("GET", `${accounts}/${canary}`),
  ];
  return replies.map(({ status, text, headers }) => ({
    status,
    type: headers.get("content-type"),
    repeatsInput: text.includes(canary),
  }));
}

const expectedRejections = Array(6).fill({
  status: 400,
  type: "application/problem+json",
  repeatsInput: false,
});

test.each(["development", "test", "production", ""])(
  "With NODE_ENV=%s a 400 does not repeat the input",
  async (mode) => {
    const { send } = await service({ NODE_ENV: mode });
    expect(await rejections(send)).toEqual(expectedRejections);
  },
);

test("A hostile .env and bunfig.toml in the working directory are ignored", async () => {
  const cwd = folder();
  const hostile =
    "PORT=1\nDATABASE_URL=stolen.db\nNODE_ENV=development\nHOST=203.0.113.1\nLOG_REQUESTS=maybe\n";
  for (const name of [".env", ".env.local", ".env.production", ".env.development"])
    writeFileSync(join(cwd, name), hostile);
  writeFileSync(join(cwd, "bunfig.toml"), 'preload = ["./evil.ts"]\n[run]\npreload = ["./evil.ts"]\n');
  writeFileSync(join(cwd, "evil.ts"), 'require("node:fs").writeFileSync("evil-was-here", "");\n');
  for (const name of ["package.json", "tsconfig.json"]) writeFileSync(join(cwd, name), "{ not JSON");
  await output(["organizations", "create", "Acme"], { cwd });
  const key = await output(["keys", "create", "--organization", "Acme"], { cwd });
  const { url, stop } = await start(["serve", "--port", "0"], { cwd });
  expect(url).toStartWith("http://127.0.0.1:");
  const send = (method: string, path: string, body?: unknown) => sendRequest(url, key, method, path, body);
  expect(await rejections(send)).toEqual(expectedRejections);
  expect(await stop()).toBe(0);
  // Another server may listen on the default port; the address of .env is not used.
  expect((await run(["health"], { cwd })).stderr).not.toMatch(/:1\/|203\.0\.113/);
  expect(existsSync(join(cwd, "data/accountd.db"))).toBe(true);
  expect(existsSync(join(cwd, "stolen.db"))).toBe(false);
  expect(existsSync(join(cwd, "evil-was-here"))).toBe(false);
});

test("The server runs as an unprivileged user in an empty read-only folder with one writable data folder", async () => {
  const cwd = folder();
  chmodSync(cwd, 0o555);
  const data = folder({ unprivileged: true });
  const settings = { cwd, unprivileged: true, env: { DATABASE_URL: join(data, "accountd.db") } };
  const server = await start(["serve", "--port", "0"], settings);
  await output(["organizations", "create", "Acme"], settings);
  const key = await output(["keys", "create", "--organization", "Acme"], settings);
  expect((await sendRequest(server.url, key, "POST", accounts, { name: "One" })).status).toBe(201);
  expect((await fetch(`${server.url}/docs/assets/api-reference.js`)).status).toBe(200);
  if (process.getuid?.() === 0) {
    const status = await Bun.file(`/proc/${server.pid}/status`).text();
    expect(status).toMatch(/^Uid:\t65534\t65534\t65534\t65534$/m);
  }
  expect(await server.stop()).toBe(0);
  expect(readdirSync(cwd)).toEqual([]);
  expect(readdirSync(data)).toContain("accountd.db");
});

test("A new database has the mode 0600, and a read-only one is not served", async () => {
  const data = folder({ unprivileged: true });
  const settings = { unprivileged: true, env: { DATABASE_URL: join(data, "accountd.db") } };
  await output(["organizations", "create", "Acme"], settings);
  expect(statSync(join(data, "accountd.db")).mode & 0o777).toBe(0o600);
  chmodSync(join(data, "accountd.db"), 0o444);
  const result = await run(["serve", "--port", "0"], settings);
  expect(result).toMatchObject({ code: 1, stdout: "" });
  expect(result.stderr).toMatch(/cannot be opened for writing[^\n]*\n$/);
});

test("The documentation is served from the binary, and its page has no external URL", async () => {
  const { url } = await start(["serve", "--port", "0"]);
  const reply = await fetch(`${url}/docs`);
  const page = await reply.text();
  expect(reply.status).toBe(200);
  expect(reply.headers.get("content-type")).toStartWith("text/html");
  expect(reply.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(page).not.toMatch(/\/\/[a-z0-9]/i);
  const assets = [...page.matchAll(/(?:src|href)="(?!data:)([^"]+)"/g)].map(([, path]) => path ?? "");
  expect(assets).toContain("docs/assets/api-reference.js");
  for (const path of assets) {
    const asset = await fetch(new URL(path, `${url}/docs`));
    expect({ path, status: asset.status }).toEqual({ path, status: 200 });
    expect((await asset.bytes()).length).toBeGreaterThan(0);
  }
  const bundle = await fetch(`${url}/docs/assets/api-reference.js`);
  expect(bundle.headers.get("content-type")).toStartWith("text/javascript");
  expect((await bundle.bytes()).length).toBeGreaterThan(1_000_000);
});

test("The served document equals the output of openapi with the address of the server", async () => {
  const { url } = await start(["serve", "--port", "0"]);
  const served = await fetch(`${url}/docs/json`);
  expect(served.headers.get("content-type")).toStartWith("application/json");
  expect(await served.json()).toEqual(JSON.parse(await output(["openapi", "--server", `${url}/`])));
});

test("The server of the document is the origin of the request; X-Forwarded-Host and -Proto are used for TRUSTED_PROXIES only", async () => {
  const sent = [
    { host: "Accounts.Example.com:8080" },
    {
      host: "10.0.0.7",
      "x-forwarded-proto": "https",
      "x-forwarded-host": "crm.example.com, inner.example.com",
    },
    { host: "1.2.3.4.5", "x-forwarded-host": 'a"b.example.com' },
  ];
  const serversOf = async (env: Record<string, string>) => {
    const { url } = await start(["serve", "--port", "0"], { env });
    const replies = await Promise.all(sent.map((headers) => fetch(`${url}/docs/json`, { headers })));
    return Promise.all(replies.map(async (reply) => JSON.parse(await reply.text()).servers));
  };
  expect(await serversOf({})).toEqual([
    [{ url: "http://Accounts.Example.com:8080" }],
    [{ url: "http://10.0.0.7" }],
    [{ url: "http://1.2.3.4.5" }],
  ]);
  expect(await serversOf({ TRUSTED_PROXIES: "127.0.0.0/8" })).toEqual([
    [{ url: "http://Accounts.Example.com:8080" }],
    [{ url: "https://crm.example.com" }],
    [{ url: "http://1.2.3.4.5" }],
  ]);
});

test("openapi --tag and --operations write the part that the server selects by these parameters", async () => {
  const { url } = await start(["serve", "--port", "0"]);
  const words = ["--tag", "Keys", "--tag", "Probes", "--operations", "runBatch,sendEvents"];
  const query = "tag=Keys&tag=Probes&operations=runBatch,sendEvents";
  const served = JSON.parse(await (await fetch(`${url}/docs/json?${query}`)).text());
  expect(JSON.parse(await output(["openapi", "--server", url, ...words]))).toEqual(served);
  expect(Object.keys(served.paths)).toEqual([
    "/api/v1/events",
    "/api/v1/batch",
    "/api/v1/keys",
    "/api/v1/keys/{keyId}",
    "/livez",
    "/readyz",
  ]);
  for (const [flag, valid] of [
    ["--tag", "Accounts, Contacts, "],
    ["--operations", "listAccounts, createAccount, "],
  ] as const)
    expect(await run(["openapi", flag, "nope"])).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining(`${flag} must be one of ${valid}`),
    });
});

test("openapi writes the address of --server, and without it no servers", async () => {
  const cwd = folder();
  const serversOf = async (...words: string[]) =>
    JSON.parse(await output(["openapi", ...words], { cwd })).servers;
  expect(await serversOf()).toBeUndefined();
  expect(readdirSync(cwd)).toEqual([]);
  expect(await serversOf("--server", "https://Accounts.example.com/crm/")).toEqual([
    { url: "https://accounts.example.com/crm" },
  ]);
  for (const address of [
    "/",
    "accounts.example.com",
    "ftp://a.example",
    "https://a.example/?x=1",
    "http://u:p@a",
  ])
    expect(await run(["openapi", "--server", address])).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("--server must be an address such as https://"),
    });
});

test("Without LOG_REQUESTS the server logs no successful request", async () => {
  const { server, send } = await service();
  expect((await send("GET", accounts)).status).toBe(200);
  expect(await server.stop()).toBe(0);
  expect(server.stderr()).not.toContain('"request"');
});

test("The server runs slow reads also with a low priority, as an unprivileged user", async () => {
  const cwd = folder({ unprivileged: true });
  const settings = { cwd, unprivileged: true };
  await output(["organizations", "create", "Acme"], settings);
  const key = await output(["keys", "create", "--organization", "Acme"], settings);
  const program = ["nice", "-n", "10", await binary()];
  const { url } = await start(["serve", "--port", "0"], { ...settings, program });
  const { status, body } = await sendRequest(url, key, "GET", `${accounts}?search=a&sortBy=mrr`);
  expect({ status, data: body.data }).toEqual({ status: 200, data: [] });
});
