import { expect, test } from "bun:test";
import { world } from "../support/world.ts";
import { faultsOf, marker } from "./probes.ts";

const accounts = "/api/v1/accounts";
const malformed = { status: 400, code: "malformed_url" };
const notFound = { status: 404, code: "not_found" };

test("An unknown path is 404, with a key and without", async () => {
  const above = [
    "//",
    "/api",
    "/api/",
    "/api/v1",
    "/api/v2/accounts",
    "/API/v1/accounts",
    "/api/V1/accounts",
  ];
  const around = ["/accounts", "/api/v1/account", "/api/v1/accountss", `/${marker}`, "/.env", "/metrics"];
  const slashes = [
    `${accounts}/`,
    `${accounts}//`,
    `${accounts}/1/`,
    `${accounts}/1/2`,
    `/${accounts}`,
    "/api//v1/accounts",
    `${accounts}/external/`,
    `${accounts}/external/a/b`,
    `${accounts}/external/a/history`,
    `${accounts}/1/history/`,
    `${accounts}/1/history/1`,
    "/api/v1/changes/",
    "/api/v1/changes/1",
    "/api/v1/change",
  ];
  const encoded = [
    "/%61pi/v1/accounts",
    "/api%2Fv1%2Faccounts",
    "/api/v1/accounts%2F1",
    "/api/v1/accounts;x=1",
    `${accounts}/%65xternal/a`,
    "/api/v1/%63hanges",
  ];
  const near = [
    "/livez/",
    "/livez/x",
    "/Livez",
    "/%6civez",
    "/readyz/",
    "/docs//",
    "/docs/x",
    "/docs/assets",
    "/docs/assets/",
    "/console//",
    "/console/x",
    "/console/accounts/1/x",
    "/console/accounts/1/2",
    "/console/assets",
    "/console/session/",
  ];
  const children = ["contacts", "meetings", "requests"].flatMap((list) => [
    ...[`${accounts}/1/${list}/`, `${accounts}/1/${list}/1`, `${accounts}//${list}`, `${accounts}/${list}/`],
    ...[`/api/v1/${list}/`, `/api/v1/${list}/1/`, `/api/v1/${list}/1/2`, `/api/v1/${list.toUpperCase()}/1`],
    ...[`/api/v1/${list}/external/`, `/api/v1/${list}/external/a/b`, `/api/v1/${list}/%65xternal/a`],
    ...[`/api/v1/${list.slice(0, -1)}/1`, `/${list}/1`],
  ]);
  const words = [
    "/__proto__",
    "/constructor",
    "/api/v1/__proto__",
    "/api/v1/accounts/1/__proto__",
    "/:",
    "/api/v1/:",
  ];
  const files = [
    "/docs/assets/x",
    "/docs/assets/__proto__",
    "/docs/assets/..%2f..%2fpackage.json",
    "/docs/assets/start.js/x",
    "/console/assets/x",
    "/console/assets/__proto__",
    "/console/assets/..%2f..%2fpackage.json",
  ];
  const paths = [
    ...above,
    ...around,
    ...slashes,
    ...encoded,
    ...near,
    ...children,
    ...words,
    ...files,
    `/${"a".repeat(15_000)}`,
    "/a".repeat(7_000),
  ];
  const probes = paths.flatMap((path) => [
    { title: `GET ${path.slice(0, 60)}`, path, ...notFound },
    { title: `GET ${path.slice(0, 60)} without a key`, path, key: null, ...notFound },
  ]);
  const broken = ["/%", "/%00", "/%ff", "/%ed%a0%80", "/api/v1/%zz", `/${marker}%`, "/livez%00", "/livez%"];
  const wrong = broken.map((path) => ({ title: `GET ${path}`, path, ...malformed }));
  expect(await faultsOf(await world(), [...probes, ...wrong])).toEqual([]);
});

test("A known path with another method is 405, with the valid methods in Allow", async () => {
  const refused = { status: 405, code: "method_not_allowed" };
  const wrong: [path: string, allow: string, methods: string[]][] = [
    [accounts, "GET, HEAD, POST", ["PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "QUERY"]],
    [`${accounts}/1`, "DELETE, GET, HEAD, PATCH", ["POST", "PUT", "OPTIONS", "PROPFIND"]],
    [`${accounts}/${marker}`, "DELETE, GET, HEAD, PATCH", ["POST", "PUT"]],
    [`${accounts}/1/history`, "GET, HEAD", ["POST", "PUT", "PATCH", "DELETE"]],
    ["/api/v1/changes", "GET, HEAD", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]],
    ["/livez", "GET, HEAD", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]],
    ["/readyz", "GET, HEAD", ["POST", "OPTIONS"]],
    ["/", "GET, HEAD", ["POST", "OPTIONS"]],
    ["/docs/", "GET, HEAD", ["POST", "DELETE"]],
    ["/docs/json", "GET, HEAD", ["POST", "DELETE"]],
    ["/docs/assets/start.js", "GET, HEAD", ["POST", "DELETE"]],
    ["/console", "GET, HEAD", ["POST", "PUT", "DELETE", "OPTIONS"]],
    ["/console/accounts/1", "GET, HEAD", ["POST", "DELETE"]],
    ["/console/session", "DELETE, GET, HEAD, POST", ["PUT", "PATCH", "OPTIONS"]],
    ["/api/v1/requests", "GET, HEAD", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]],
    ["/api/v1/health", "GET, HEAD", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]],
    ["/api/v1/health/summary", "GET, HEAD", ["POST", "DELETE"]],
    [`${accounts}/1/health`, "GET, HEAD", ["POST", "PUT", "PATCH", "DELETE"]],
    [`${accounts}/1/health/history`, "GET, HEAD", ["POST", "PUT", "PATCH", "DELETE"]],
    [`${accounts}/1/usage`, "GET, HEAD", ["POST", "PUT", "PATCH", "DELETE"]],
    ["/api/v1/usage", "GET, HEAD", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]],
    ["/api/v1/usage/accounts", "GET, HEAD", ["POST", "DELETE"]],
    [`${accounts}/external/${marker}`, "DELETE, GET, HEAD, PATCH, PUT", ["POST", "OPTIONS"]],
    ["/api/v1/events", "POST", ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"]],
    ["/api/v1/events/unmatched", "GET, HEAD", ["POST", "DELETE"]],
    ["/api/v1/last-seen", "POST", ["GET", "HEAD", "PUT", "PATCH", "DELETE"]],
    ["/v1/batch", "POST", ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"]],
    ["/v1/t", "POST", ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"]],
    ...["contacts", "meetings", "requests"].flatMap((list): [string, string, string[]][] => [
      [`${accounts}/1/${list}`, "GET, HEAD, POST", ["PUT", "PATCH", "DELETE", "OPTIONS"]],
      [`/api/v1/${list}/1`, "DELETE, GET, HEAD, PATCH", ["POST", "PUT", "OPTIONS", "PROPFIND"]],
      [`/api/v1/${list}/${marker}`, "DELETE, GET, HEAD, PATCH", ["POST", "PUT"]],
      [`/api/v1/${list}/external/${marker}`, "DELETE, GET, HEAD, PUT", ["POST", "PATCH", "OPTIONS"]],
    ]),
  ];
  const probes = wrong.flatMap(([path, allow, methods]) =>
    methods.map((method) => ({ title: `${method} ${path}`, method, path, allow, ...refused })),
  );
  const overridden = ["x-http-method-override", "x-http-method", "x-method-override"].map((header) => ({
    title: `POST with ${header}`,
    ...{ method: "POST", path: `${accounts}/1`, body: "{}", headers: { [header]: "PATCH" } },
    ...refused,
  }));
  expect(await faultsOf(await world(), [...probes, ...overridden])).toEqual([]);
});

test("Rows of another organization are 404, with the same bytes as rows that do not exist", async () => {
  const service = await world();
  const { second, account, call } = service;
  const theirs = { key: second.key };
  const { id } = await account({ name: marker, externalId: marker }, theirs);
  const named = { name: marker, title: marker, externalId: marker };
  const moments = { startAt: "2026-01-01", endAt: "2026-01-01" };
  const places: [before: string, id: number | string, after: string, methods: string[]][] = [
    [accounts, id, "", ["GET", "PATCH", "DELETE"]],
    [accounts, id, "/history", ["GET"]],
    [accounts, id, "/usage", ["GET"]],
    [accounts, id, "/health", ["GET"]],
    [`${accounts}/external`, marker, "", ["GET", "PATCH", "DELETE"]],
  ];
  for (const list of ["contacts", "meetings", "requests"]) {
    const made = await call("POST", `${accounts}/${id}/${list}`, { ...named, ...moments }, theirs);
    places.push([accounts, id, `/${list}`, ["GET", "POST"]]);
    places.push([`/api/v1/${list}`, made.body.data.id, "", ["GET", "PATCH", "DELETE"]]);
    places.push([`/api/v1/${list}/external`, marker, "", ["GET", "DELETE"]]);
  }
  const body = JSON.stringify({ ...named, ...moments });
  const probes = places.flatMap(([before, other, after, methods]) =>
    methods.flatMap((method) =>
      [other, 999_999].map((one) => ({
        title: `${method} ${before}/${one}${after}`,
        method,
        path: `${before}/${one}${after}`,
        ...(/^(POST|PATCH)$/.test(method) && { body }),
        ...notFound,
      })),
    ),
  );
  expect(probes).toHaveLength(60);
  expect(await faultsOf(service, probes)).toEqual([]);
  for (const [before, other, after] of places) {
    const foreign = await call("GET", `${before}/${other}${after}`);
    expect(foreign.text).toBe((await call("GET", `${before}/999999${after}`)).text);
  }
});
