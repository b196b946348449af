import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, lstatSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { folder, output, type Running, run, start } from "./binary.ts";
import { binary } from "./build.ts";
import { logOf, sendRequest, service } from "./service.ts";

setDefaultTimeout(60_000);

const serve = ["serve", "--port", "0"];

function operationsOf(server: Running): (string | undefined)[] {
  return logOf(server)
    .filter(({ event }) => event === "admin_operation")
    .map(({ operation }) => operation);
}

function isSocket(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSocket() ?? false;
}

test("Commands print the same with and without a server, including errors", async () => {
  const commandLines = [
    ["organizations", "create", "Acme"],
    ["organizations", "create", "ACME"],
    ["organizations", "create", " "],
    ["organizations", "create", "Zenith", "--json"],
    ["keys", "create", "--organization", "Acme", "--expires", "2099-01-01", "--json"],
    ["keys", "create", "--organization", "Nobody"],
    ["keys", "revoke", "1"],
    ["keys", "revoke", "9", "--json"],
    ["keys", "list"],
  ];
  const results = async (cwd: string) => {
    const all = [];
    for (const args of commandLines) all.push(await run(args, { cwd }));
    // The key, its last four characters and the time differ in each run.
    return JSON.stringify(all)
      .replace(/ak_\w{36}/g, "KEY")
      .replace(/(lastFour[\\": ]+)\w{4}/g, "$1LAST")
      .replace(/20\d\d-\d\d-\d\dT[\d:.]+Z/g, "TIME")
      .replace(/(Acme +)\w{4}( +TIME)/g, "$1LAST$2");
  };
  const withoutServer = folder();
  const withServer = folder();
  await start(serve, { cwd: withServer });
  expect(await results(withServer)).toBe(await results(withoutServer));
});

test("The socket has the mode 0600 with any umask, and is removed by a stop", async () => {
  for (const umask of ["000", "022", "777"]) {
    const cwd = folder();
    await output(["migrate"], { cwd });
    const program = ["sh", "-c", `umask ${umask}; exec "$0" "$@"`, await binary()];
    const server = await start(serve, { cwd, program });
    const socket = join(cwd, "data/accountd.db.sock");
    expect(isSocket(socket)).toBe(true);
    expect((statSync(socket).mode & 0o777).toString(8)).toBe("600");
    expect(await server.stop()).toBe(0);
    expect(existsSync(socket)).toBe(false);
  }
});

test("Commands ignore the socket of a killed server, and the next server replaces it", async () => {
  const { cwd, server, database } = await service();
  await server.stop("SIGKILL");
  expect(isSocket(`${database}.sock`)).toBe(true);
  await output(["organizations", "create", "Zenith"], { cwd });
  const next = await start(serve, { cwd });
  await output(["organizations", "create", "Third"], { cwd });
  expect(operationsOf(next)).toEqual(["POST /operator/organizations"]);
  expect(JSON.parse(await output(["organizations", "list", "--json"], { cwd }))).toHaveLength(3);
});

test("An existing file at the path of the socket is not changed; the server logs one line and serves", async () => {
  const cwd = folder();
  await output(["organizations", "create", "Acme"], { cwd });
  const socket = join(cwd, "data/accountd.db.sock");
  writeFileSync(socket, "a file of another program");
  const server = await start(serve, { cwd });
  const key = await output(["keys", "create", "--organization", "Acme"], { cwd });
  expect((await sendRequest(server.url, key, "GET", "/api/v1/accounts")).status).toBe(200);
  await output(["keys", "revoke", "1"], { cwd });
  expect((await sendRequest(server.url, key, "GET", "/api/v1/accounts")).status).toBe(401);
  const failures = logOf(server).filter(({ event }) => event === "admin_socket_failed");
  expect(failures).toMatchObject([{ path: expect.stringContaining("accountd.db.sock"), code: "EADDRINUSE" }]);
  expect(await server.stop()).toBe(0);
  expect(await Bun.file(socket).text()).toBe("a file of another program");
});

test("A path of more than 107 bytes works if the file name of the socket is short enough", async () => {
  const cwd = folder();
  const longFolder = `${"d".repeat(120)}/accountd.db`;
  const server = await start([...serve, "--database", longFolder], { cwd });
  await output(["organizations", "create", "Acme", "--database", longFolder], { cwd });
  expect(operationsOf(server)).toEqual(["POST /operator/organizations"]);
  expect(await server.stop()).toBe(0);
  const longName = `${"d".repeat(120)}/${"f".repeat(120)}.db`;
  const other = await start([...serve, "--database", longName], { cwd });
  await output(["organizations", "create", "Acme", "--database", longName], { cwd });
  expect(logOf(other).map(({ event, code }) => [event, code])).toContainEqual([
    "admin_socket_failed",
    "ENAMETOOLONG",
  ]);
});

test("A database that is opened by a symbolic link has the socket of its target", async () => {
  const cwd = folder();
  mkdirSync(join(cwd, "links"));
  await output(["migrate"], { cwd });
  symlinkSync(join(cwd, "data/accountd.db"), join(cwd, "links/other.db"));
  const server = await start([...serve, "--database", "links/other.db"], { cwd });
  expect(isSocket(join(cwd, "data/accountd.db.sock"))).toBe(true);
  await output(["organizations", "create", "Acme"], { cwd });
  await output(["organizations", "create", "Zenith", "--database", "links/other.db"], { cwd });
  expect(operationsOf(server)).toHaveLength(2);
});

test("Concurrent commands next to a server that starts and stops all succeed", async () => {
  const cwd = folder();
  await output(["organizations", "create", "Acme"], { cwd });
  const command = (name: string) => run(["organizations", "create", name], { cwd });
  const results: Promise<{ code: number; stderr: string }>[] = [];
  for (let round = 0; round < 3; round += 1) {
    const server = await start(serve, { cwd });
    for (let i = 0; i < 4; i += 1) results.push(command(`While it runs ${round} ${i}`));
    await Promise.all(results);
    results.push(command(`While it stops ${round}`));
    expect(await server.stop()).toBe(0);
  }
  const codes = (await Promise.all(results)).map(({ code, stderr }) => ({ code, stderr }));
  expect(codes).toEqual(codes.map(() => ({ code: 0, stderr: "" })));
  const rows = JSON.parse(await output(["organizations", "list", "--json"], { cwd }));
  expect(rows).toHaveLength(1 + codes.length);
});
