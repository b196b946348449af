import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { listKeys } from "../../src/api-keys/store.ts";
import { createFetch } from "../../src/http/create-fetch.ts";
import { createAccessLog } from "../../src/server/access-log.ts";
import { world } from "../support/world.ts";

type Sent = { path?: string; method?: string; headers?: Record<string, string>; body?: string };

const accounts = "/api/v1/accounts";

/** Requests that have a key, or a part of one, where no key belongs. `valid` are the headers of a valid key. */
function misuses(key: string, valid: Record<string, string>): Sent[] {
  const half = key.slice(0, 24);
  const encoded = [...key].map((one) => `%${one.charCodeAt(0).toString(16)}`).join("");
  const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString("base64")}` });
  const instead: Record<string, string>[] = [
    ...[half, key.slice(3), key.toLowerCase(), key.toUpperCase(), key + key, `"${key}"`].map((text) => ({
      "x-api-key": text,
    })),
    ...[{ authorization: `Token ${key}` }, { authorization: key }, basic(`x:${key}`), basic(`${half}:`)],
    ...[{ cookie: `key=${key}` }, { cookie: `accountd_session=${key}`, "x-accountd-console": "1" }],
    ...[{ "x-apikey": key }, { "user-agent": key, referer: `https://x.io/?key=${key}` }],
  ];
  const beside: Record<string, string>[] = [
    ...[{ "x-request-id": key }, { "content-type": key }, { "content-encoding": key }],
    ...[{ prefer: `handling=${key}` }, { host: key }, { host: `${key}/` }],
  ];
  const paths = [
    ...[`/${key}`, `/${key}%`, `${accounts}/${key}`, `${accounts}/${half}`, `${accounts}/${encoded}`],
    ...[
      `${accounts}/external/${key}`,
      `${accounts}/${key}/history`,
      `${accounts}/1/${key}`,
      `/api/v1/${key}/1`,
    ],
    ...[`/console/${key}`, `/console/accounts/${key}`, `/console/assets/${key}`],
  ];
  const queries = [
    ...[`api_key=${key}`, `x=1&${key}=1&${key}=2`, `search=${key}`, `externalId=${key}`, `sortBy=${key}`],
    ...[`page=${key}`, `page=${half}`, `status=${encoded}`, `%=${key}`, `cursor=${key}`],
  ];
  const bodies = [
    ...[`{"mrr":"${key}"}`, `{"name":["${key}"]}`, `{"name":"a","status":"${key}"}`, `{"${key}":1}`],
    ...[
      `{"name":"a","contactEmail":"${key}"}`,
      `"${key}"`,
      `{"name":"${key}`,
      key,
      `{"name":"a","key":"${key}"}`,
    ],
    `{"name":"a","${key}":"\\u0000"}`,
  ];
  const post = (body: string, headers: Record<string, string> = {}, path = accounts): Sent => ({
    ...{ method: "POST", path, body },
    headers: { ...valid, "content-type": "application/json", ...headers },
  });
  return [
    ...instead.map((headers) => ({ headers })),
    ...beside.flatMap((headers) => [post('{"name":"a"}', headers), { headers: { ...valid, ...headers } }]),
    ...paths.flatMap((path) => [
      { path },
      { path, headers: valid },
      { path, headers: valid, method: "DELETE" },
    ]),
    ...queries
      .flatMap((query) => [`${accounts}?${query}`, `/api/v1/changes?${query}`])
      .map((path) => ({
        ...{ path, headers: valid },
      })),
    ...bodies.flatMap((body) => [post(body), post(body, { prefer: "handling=strict" })]),
    post(`{"writeKey":"${half}","batch":["${key}"]}`, { "x-api-key": "" }, "/v1/batch"),
    ...[`{"link":"${key}"}`, `{"key":"${half}"}`, `{"${key}":1}`, `{"key":["${key}"]}`].map((body) =>
      post(body, { "x-accountd-console": "1" }, "/console/session"),
    ),
    { method: key, headers: valid },
  ];
}

/** Parts of a key in small letters, without its prefix and its last characters, also in base64. */
function partsOf(key: string): string[] {
  const base64 = Buffer.from(`${key}:`).toString("base64");
  return [key.slice(3, 15), key.slice(13, 25), key.slice(23, 35), base64.slice(8, 20)].map((part) =>
    part.toLowerCase(),
  );
}

test("a key is neither in the log, nor in the files of the database, nor in a problem, however it is sent", async () => {
  const { app, call, engine, file, lines, first, second, execute } = await world({ hasConsole: true });
  const logged: unknown[] = [];
  const write = (...line: unknown[]) => void logged.push(line);
  const log = { info: write, warn: write, error: write };
  const accessLog = createAccessLog({ routes: app.routes, log, clientOf: () => "192.0.2.1" });
  const fetch = createFetch(app.fetch, { recording: { listeners: [accessLog], isTimed: true } });
  const problems: string[] = [];
  const sendAll = async () => {
    for (const { path = accounts, method = "GET", headers, body } of misuses(first.key, {
      "x-api-key": second.key,
    })) {
      const reply = await fetch(new Request(`http://localhost${path}`, { method, headers, body }));
      const text = await reply.text();
      if (reply.status >= 400) problems.push(text);
    }
  };
  await call("GET", accounts);
  await sendAll();
  // Failures log the most.
  await execute("ALTER TABLE contacts RENAME TO elsewhere");
  await sendAll();
  const files = ["", "-wal"].map((suffix) => file + suffix).filter(existsSync);
  const texts = {
    ...{ problems: problems.join(), log: JSON.stringify([logged, lines]) },
    ...{
      keys: JSON.stringify(await listKeys(engine)),
      files: files.map((path) => readFileSync(path, "latin1")).join(),
    },
  };
  const found = Object.entries(texts).flatMap(([where, text]) =>
    [first.key, second.key]
      .flatMap(partsOf)
      .filter((part) => text.toLowerCase().includes(part))
      .map((part) => [where, part]),
  );
  expect(found).toEqual([]);
  expect(logged.length).toBeGreaterThan(200);
  expect(lines.map(({ event }) => event)).toContain("request_failed");
  // What is stored instead of a key is found, so the right files were read.
  expect(texts.files).toContain(new Bun.CryptoHasher("sha256").update(first.key).digest("hex"));
});
