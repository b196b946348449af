import { expect, setDefaultTimeout, test } from "bun:test";
import { rmSync } from "node:fs";
import { start } from "../binary/binary.ts";
import { sendRequest, service } from "../binary/service.ts";
import { documentedLines, installedProxies, type ProxyName, startProxy } from "./proxy.ts";

setDefaultTimeout(120_000);

const accounts = "/api/v1/accounts";
const connectionCount = 4;
const pauseMilliseconds = 5;
const loadMilliseconds = 400;
/** A stop takes up to a second while writes run. */
const downMilliseconds = 600;
/** Less than the proxies wait. */
const maxAbsentMilliseconds = 3_500;
const maxAttempts = 5;
/** The results of requests that may be sent again: reads, and writes that began while there was no server. */
const documented: Record<ProxyName, string[]> = {
  nginx: ["GET 200", "POST 201"],
  haproxy: ["GET 200", "POST 201"],
  apache: ["GET 200", "GET 503, again after 1 s", "POST 503, again after 1 s"],
  // Before 2.11.2, it cannot send a body again (caddyserver/caddy#7547).
  caddy: ["GET 200", "POST 502"],
};

type Control = { change: (lines: string) => string; results: string[] };
/** Without the lines that send requests again. */
const controls: Record<ProxyName, Control> = {
  nginx: {
    change: (lines) => lines.replace("error_page 502 = @wait;", ""),
    results: ["GET 200", "GET 502", "POST 502"],
  },
  haproxy: {
    change: (lines) => lines.replace("retries 5", "retries 0"),
    results: ["GET 200", "GET 503", "POST 503"],
  },
  apache: {
    change: (lines) => lines.replace(/^.*Retry-After.*$/m, ""),
    results: ["GET 200", "GET 503", "POST 503"],
  },
  caddy: {
    change: (lines) => lines.replace("lb_try_duration 5s", ""),
    results: ["GET 200", "GET 502", "POST 502"],
  },
};

test.each(installedProxies)(
  "In a restart under load, %s sends requests again, or asks the client to",
  async (name) => {
    expect(await restartUnderLoad(name)).toEqual({ results: documented[name], isStoredOnce: true });
  },
);

test.each(installedProxies)("Without its lines for a restart, requests behind %s fail", async (name) => {
  const { change, results } = controls[name];
  const lines = change(documentedLines(name));
  expect(await restartUnderLoad(name, lines)).toEqual({ results, isStoredOnce: true });
});

test.skipIf(!installedProxies.includes("apache"))(
  "Apache keeps the Retry-After of a 503 of the server",
  async () => {
    const { url, key, database } = await service({});
    const proxy = await startProxy("apache", url);
    rmSync(`${database}.lock`);
    expect(await resultOf(proxy.url, key, "POST", accounts, { name: "Acme" })).toBe(
      "POST 503, again after 30 s",
    );
  },
);

/** Restarts until the server was back in time: on a busy machine it starts late. */
async function restartUnderLoad(name: ProxyName, lines?: string) {
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const { absentMilliseconds, ...outcome } = await restartOnce(name, lines);
    if (absentMilliseconds <= maxAbsentMilliseconds) return outcome;
  }
  throw new Error(`the server started too late in ${maxAttempts} restarts`);
}

async function restartOnce(name: ProxyName, lines: string | undefined) {
  const { url, key, server, cwd } = await service({});
  const proxy = await startProxy(name, url, lines);
  const created: string[] = [];
  const create = async () => {
    const name = crypto.randomUUID();
    const result = await resultOf(proxy.url, key, "POST", accounts, { name });
    if (result === "POST 201") created.push(name);
    return result;
  };
  const results = new Set<string>();
  let isOver = false;
  const repeat = async (request: () => Promise<unknown>) => {
    while (!isOver) {
      await request();
      await Bun.sleep(pauseMilliseconds);
    }
  };
  const load = Array.from({ length: connectionCount }, () => [
    repeat(create),
    repeat(async () => results.add(await resultOf(proxy.url, key, "GET", `${accounts}?pageSize=1`))),
  ]).flat();
  await Bun.sleep(loadMilliseconds);
  const stopsAt = performance.now();
  await server.stop();
  const unsent = Array.from({ length: connectionCount }, create);
  await Bun.sleep(downMilliseconds);
  await start(["serve", "--port", new URL(url).port], { cwd });
  const absentMilliseconds = performance.now() - stopsAt;
  for (const result of await Promise.all(unsent)) results.add(result);
  await Bun.sleep(loadMilliseconds);
  isOver = true;
  await Promise.all(load);
  const rows = (await sendRequest(url, key, "GET", `${accounts}.jsonl`)).text.split("\n").filter(Boolean);
  const names = rows.map((row): string => JSON.parse(row).name);
  const stored = new Set(names);
  return {
    absentMilliseconds,
    results: [...results].toSorted(),
    isStoredOnce: stored.size === names.length && created.every((name) => stored.has(name)),
  };
}

/** Such as `GET 503, again after 1 s`. */
async function resultOf(url: string, key: string, method: string, path: string, body?: unknown) {
  const reply = await sendRequest(url, key, method, path, body).catch(() => undefined);
  const seconds = reply?.headers.get("retry-after");
  return `${method} ${reply?.status ?? "closed"}${seconds ? `, again after ${seconds} s` : ""}`;
}
