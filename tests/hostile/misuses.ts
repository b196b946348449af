import type { Sent } from "./client.ts";

/** A key in a wrong place. Its name ends the phrase "a key …". */
type Misuse = { title: string; sent: Sent };

const accounts = "/api/v1/accounts";

/** Wrong ways to send a key, which must not be stored or logged. `good` is a valid key. */
export function misuses(key: string, validKey: string): Misuse[] {
  const half = key.slice(0, 24);
  const encoded = [...key].map((one) => `%${one.charCodeAt(0).toString(16)}`).join("");
  const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString("base64")}` });
  const instead: [string, Record<string, string>][] = [
    ["cut short", { "x-api-key": half }],
    ["cut at the front", { "x-api-key": key.slice(3) }],
    ["in small letters", { "x-api-key": key.toLowerCase() }],
    ["in capitals", { "x-api-key": key.toUpperCase() }],
    ["twice", { "x-api-key": key + key }],
    ["in quotes", { "x-api-key": `"${key}"` }],
    ["as a token", { authorization: `Token ${key}` }],
    ["without a scheme", { authorization: key }],
    ["as a password", basic(`x:${key}`)],
    ["cut short in Basic", basic(`${half}:`)],
    ["in a cookie", { cookie: `key=${key}` }],
    ["as a session", { cookie: `accountd_session=${key}`, "x-accountd-console": "1" }],
    ["in another header", { "x-apikey": key }],
    ["as what asks", { "user-agent": key, referer: `https://x.io/?key=${key}` }],
  ];
  const beside: [string, Record<string, string>][] = [
    ["as the request's id", { "x-request-id": key }],
    ["as a kind of body", { "content-type": key }],
    ["as an encoding", { "content-encoding": key }],
    ["as a preference", { prefer: `handling=${key}` }],
    ["as the Host", { host: key }],
    ["as a Host that is none", { host: `${key}/` }],
  ];
  const paths = [
    ...[`/${key}`, `${accounts}/${key}`, `${accounts}/${half}`, `${accounts}/${encoded}`],
    ...[`/api/v1/contacts/external/${key}`, `/api/v1/${key}/1`, `${accounts}/1/${key}`, `/${key}%`],
    ...[`/console/${key}`, `/console/accounts/${key}`, `/console/assets/${key}`],
    ...[`${accounts}/external/${key}`, `${accounts}/${key}/history`, `/api/v1/changes/${key}`],
  ];
  const queries = [
    ...[`api_key=${key}`, `x=1&${key}=1&${key}=2`, `search=${key}`, `externalId=${key}`, `sortBy=${key}`],
    ...[`page=${key}`, `page=${half}`, `status=${encoded}`, `%=${key}`],
  ];
  const bodies = [
    ...[
      `{"name":"a","key":"${key}"}`,
      `{"name":["${key}"]}`,
      `{"mrr":"${key}"}`,
      `{"name":"a","status":"${key}"}`,
    ],
    ...[`{"${key}":1}`, `{"name":"a","contactEmail":"${key}"}`, `"${key}"`, `{"name":"${key}`, key, half],
    ...[`{"name":"a","${key}":"\\u0000"}`, `{"writeKey":"${half}","batch":[]}`],
  ];
  const own = { "x-api-key": validKey };
  const json = { ...own, "content-type": "application/json" };
  const get = (path: string, headers: Record<string, string> = own): Sent => ({
    method: "GET",
    path,
    headers,
  });
  const post = (body: string, headers: Record<string, string> = json): Sent => ({
    method: "POST",
    path: accounts,
    headers,
    body,
  });
  return [
    ...instead.map(([title, headers]) => ({
      title: `instead of one: ${title}`,
      sent: get(accounts, headers),
    })),
    ...beside.map(([title, headers]) => ({ title, sent: post("{}", { ...json, ...headers }) })),
    ...beside.map(([title, headers]) => ({ title, sent: get(`${accounts}/1`, { ...own, ...headers }) })),
    ...paths.map((path) => ({ title: "in a path", sent: get(path) })),
    ...paths.map((path) => ({ title: "in a path, without one", sent: get(path, {}) })),
    ...queries.map((query) => ({ title: "in a query", sent: get(`${accounts}?${query}`) })),
    ...["after", "limit", "resource", "action", key].map((name) => ({
      title: "in a query of the change feed",
      sent: get(`/api/v1/changes?${name}=${key}`),
    })),
    ...bodies.map((body) => ({ title: "in a body", sent: post(body) })),
    {
      title: "as the request's id of a stored change",
      sent: post('{"name":"a"}', { ...json, "x-request-id": key }),
    },
    {
      title: "in the path of a delete",
      sent: { method: "DELETE", path: `${accounts}/external/${key}`, headers: own },
    },
    {
      title: "in a body under strict handling",
      sent: post(`{"name":"a","${key}":1}`, { ...json, prefer: "handling=strict" }),
    },
    {
      title: "in Segment's body",
      sent: {
        method: "POST",
        path: "/v1/batch",
        headers: { "content-type": "application/json" },
        body: `{"writeKey":"${half}","batch":["${key}"]}`,
      },
    },
    ...[`{"link":"${key}"}`, `{"key":"${half}"}`, `{"${key}":1}`, `{"key":["${key}"]}`, `{"key":"${key}`].map(
      (body) => ({
        title: "in a sign-in",
        sent: {
          method: "POST",
          path: "/console/session",
          headers: { "content-type": "application/json", "x-accountd-console": "1" },
          body,
        },
      }),
    ),
    { title: "as a method", sent: { method: key, path: accounts, headers: own } },
  ];
}
