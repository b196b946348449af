import { expect, test } from "bun:test";
import { world } from "../support/world.ts";
import { faultsOf, marker } from "./probes.ts";

const accounts = "/api/v1/accounts";
const malformed = { status: 400, code: "malformed_url" };
const notFound = { status: 404, code: "not_found" };

test("A path that is none of the service's is 404, with a key and without", async () => {
  const above = [
    "/",
    "//",
    "/api",
    "/api/",
    "/api/v1",
    "/api/v2/accounts",
    "/API/v1/accounts",
    "/api/V1/accounts",
  ];
  const around = [
    "/accounts",
    "/api/v1/account",
    "/api/v1/accountss",
    `/${marker}`,
    "/api/v1/contacts",
    "/.env",
    "/metrics",
  ];
  const slashes = [
    `${accounts}/`,
    `${accounts}//`,
    `${accounts}/1/`,
    `${accounts}/1/2`,
    `/${accounts}`,
    "/api//v1/accounts",
  ];
  const encoded = [
    "/%61pi/v1/accounts",
    "/api%2Fv1%2Faccounts",
    "/api/v1/accounts%2F1",
    "/api/v1/accounts;x=1",
  ];
  const near = [
    "/livez/",
    "/livez/x",
    "/Livez",
    "/%6civez",
    "/readyz/",
    "/docs/",
    "/docs/x",
    "/docs/assets",
    "/docs/assets/",
  ];
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
  ];
  const paths = [
    ...above,
    ...around,
    ...slashes,
    ...encoded,
    ...near,
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

test("A known path by the wrong method is 405, with the right ones in Allow", async () => {
  const refused = { status: 405, code: "method_not_allowed" };
  const wrong: [path: string, allow: string, methods: string[]][] = [
    [accounts, "GET, HEAD, POST", ["PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "QUERY"]],
    [`${accounts}/1`, "GET, HEAD, PATCH", ["POST", "PUT", "DELETE", "OPTIONS"]],
    [`${accounts}/${marker}`, "GET, HEAD, PATCH", ["POST", "DELETE"]],
    ["/livez", "GET, HEAD", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]],
    ["/readyz", "GET, HEAD", ["POST", "OPTIONS"]],
    ["/docs/json", "GET, HEAD", ["POST", "DELETE"]],
    ["/docs/assets/start.js", "GET, HEAD", ["POST", "DELETE"]],
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

test("Another organization's account is 404, with the same bytes as one that is not there", async () => {
  const service = await world();
  const { id } = await service.account({ name: marker, externalId: marker }, { key: service.second.key });
  const probes = ["GET", "PATCH"].flatMap((method) =>
    [id, 999_999].map((other) => ({
      title: `${method} ${other}`,
      method,
      path: `${accounts}/${other}`,
      ...(method === "PATCH" && { body: `{"name":"${marker}","externalId":"${marker}"}` }),
      ...notFound,
    })),
  );
  expect(await faultsOf(service, probes)).toEqual([]);
  const [own, none] = [
    await service.call("GET", `${accounts}/${id}`),
    await service.call("GET", `${accounts}/999999`),
  ];
  expect(own.text).toBe(none.text);
});
