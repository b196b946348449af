import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { statSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { migrations } from "../../db/sqlite/migrations/list.ts";
import { databaseOfVersion } from "../database/versions.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { type Running, start } from "./binary.ts";
import { binary } from "./build.ts";
import { logOf, service } from "./service.ts";

setDefaultTimeout(60_000);

const signals = ["SIGTERM", "SIGINT"] as const;
const path = "/api/v1/accounts";
const body = JSON.stringify({ name: "Held", externalId: "held" });
type Client = { socket: Socket; received: () => string; closed: () => boolean };

/** A connection on which the text was sent, 100 ms ago. */
async function client(server: Pick<Running, "url">, text: string): Promise<Client> {
  const { hostname, port } = new URL(server.url);
  const socket = connect({ host: hostname, port: Number(port) });
  let received = "";
  let closed = false;
  socket.on("data", (chunk) => {
    received += chunk.toString();
  });
  socket.on("close", () => {
    closed = true;
  });
  closeAfterTest(async () => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  socket.on("error", () => {});
  socket.write(text);
  await Bun.sleep(100);
  return { socket, received: () => received, closed: () => closed };
}

function head(key: string, length: number): string {
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;
}

async function until(
  condition: () => boolean | Promise<boolean>,
  timeoutMilliseconds = 5_000,
): Promise<boolean> {
  const deadline = Date.now() + timeoutMilliseconds;
  while (Date.now() < deadline) {
    if (await condition()) return true;
    await Bun.sleep(10);
  }
  return false;
}

function isRefused(server: Pick<Running, "url">): Promise<boolean> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.once("connect", () => resolve(false));
    socket.once("error", () => resolve(true));
    socket.once("connect", () => socket.destroy());
  });
}

function walSize(database: string): number {
  return statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

/** The names of the accounts in the file. */
function namesIn(database: string): string[] {
  const file = new Database(database, { readwrite: true });
  const rows = file.query<{ name: string }, []>("SELECT name FROM accounts ORDER BY name").all();
  file.close();
  return rows.map(({ name }) => name);
}

const openConnections: Record<string, (server: Running, key: string) => Promise<unknown>> = {
  "half a body": (server, key) => client(server, head(key, 1000) + body.slice(0, 9)),
  "half a body in chunks": (server, key) =>
    client(server, `${head(key, 0).replace("content-length: 0", "transfer-encoding: chunked")}5\r\n{"nam`),
  "an idle keep-alive connection": async (server) => {
    const { received } = await client(server, "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n");
    if (!(await until(() => received().includes("200 OK")))) throw new Error("no reply");
  },
  "a connection without a request": (server) => client(server, ""),
  "half a header": (server) => client(server, `GET ${path} HTTP/1.1\r\nHost: loc`),
};

/** Opens the connections to a new server and sends it the signal. */
async function stopWith(signal: NodeJS.Signals, names: readonly string[]) {
  const { server, key, database, send } = await service();
  await send("POST", path, { name: "Kept" });
  for (const name of names) await openConnections[name]?.(server, key);
  const startedAt = performance.now();
  const code = await server.stop(signal);
  const inTime = performance.now() - startedAt < 10_000;
  return { signal, names, code, inTime, wal: walSize(database), accounts: namesIn(database) };
}

test.concurrent("SIGTERM and SIGINT stop the server with exit 0 within 10 s, with any open connection, and empty the WAL", async () => {
  const names = Object.keys(openConnections);
  // The signals differ in their name only once they are received, so each connection on its own needs one of them.
  const cases: [NodeJS.Signals, string[]][] = [
    ...names.map((name): [NodeJS.Signals, string[]] => ["SIGTERM", [name]]),
    ["SIGINT", names],
  ];
  const results = await Promise.all(cases.map(([signal, names]) => stopWith(signal, names)));
  const expected = { code: 0, inTime: true, wal: 0, accounts: ["Kept"] };
  expect(results).toEqual(cases.map(([signal, names]) => ({ signal, names, ...expected })));
});

test.concurrent.each(signals)("%s is logged, before and after the stop", async (signal) => {
  const { server } = await service();
  expect(await server.stop(signal)).toBe(0);
  const lines = logOf(server);
  expect(lines.slice(-2)).toEqual([
    { time: expect.any(String), level: "info", event: "stopping", signal },
    { time: expect.any(String), level: "info", event: "stopped" },
  ]);
});

test.concurrent("SIGUSR1, SIGUSR2, and SIGHUP without a terminal, have no effect", async () => {
  const { server, send } = await service();
  for (const signal of ["SIGUSR1", "SIGUSR2", "SIGHUP"] as const) server.kill(signal);
  await Bun.sleep(200);
  expect((await send("POST", path, { name: "Kept" })).status).toBe(201);
  expect(server.isRunning()).toBe(true);
  expect(await server.stop()).toBe(0);
  expect(server.stderr()).not.toMatch(/SIGUSR|SIGHUP/);
});

test.concurrent("A closed terminal, which sends SIGHUP, stops the server as SIGTERM does: the open request gets its reply, exit 0", async () => {
  const { cwd, key, server: first, database } = await service();
  await first.stop();
  let printed = "";
  const child = Bun.spawn([await binary(), "serve", "--port", "0"], {
    cwd,
    env: { PATH: Bun.env.PATH ?? "" },
    terminal: {
      data: (_, bytes) => {
        printed += new TextDecoder().decode(bytes);
      },
    },
  });
  closeAfterTest(() => {
    child.kill("SIGKILL");
    return child.exited;
  });
  expect(await until(() => /serves http:\S+/.test(printed))).toBe(true);
  const url = /serves (http:\S+)/.exec(printed)?.[1] ?? "";
  const pending = await client({ url }, head(key, body.length) + body.slice(0, -1));
  child.terminal?.close();
  expect(await until(() => isRefused({ url }))).toBe(true);
  pending.socket.write(body.slice(-1));
  expect(await until(() => pending.received() !== "" || pending.closed())).toBe(true);
  expect(pending.received()).toStartWith("HTTP/1.1 201");
  expect(await child.exited).toBe(0);
  expect(walSize(database)).toBe(0);
  expect(namesIn(database)).toEqual(["Held"]);
});

test("A job that waits for the lock of another program does not delay the stop by more than a second", async () => {
  // The job deletes its events, which are older than 35 days.
  const database = await databaseOfVersion(migrations.length);
  const other = new Database(database, { readwrite: true });
  other.run("BEGIN IMMEDIATE");
  const server = await start(["serve", "--port", "0", "--database", database]);
  await Bun.sleep(500);
  const startedAt = performance.now();
  expect(await server.stop()).toBe(0);
  expect(performance.now() - startedAt).toBeLessThan(2_500);
  other.close();
});

test("After the signal, and a second one, new connections are refused, and the server stops with the reply to an open request", async () => {
  const { server, key, database } = await service();
  const pending = await client(server, head(key, body.length) + body.slice(0, -1));
  server.kill("SIGTERM");
  server.kill("SIGINT");
  expect(await until(() => isRefused(server))).toBe(true);
  expect(server.isRunning()).toBe(true);
  pending.socket.write(body.slice(-1));
  expect(await until(() => pending.received() !== "" || pending.closed())).toBe(true);
  expect(pending.received()).toStartWith("HTTP/1.1 201");
  expect(await until(() => !server.isRunning(), 1_500)).toBe(true);
  expect(await server.stop()).toBe(0);
  expect(namesIn(database)).toEqual(["Held"]);
});
