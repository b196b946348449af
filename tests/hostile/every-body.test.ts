import { expect, test } from "bun:test";
import { world } from "../support/world.ts";
import { faultsOf, marker, type Probe } from "./probes.ts";
import { existing, furnish, type Route, routesOf } from "./routes.ts";

const tooLarge = { status: 413, code: "payload_too_large" };
const unsupported = { status: 415, code: "unsupported_media_type" };
const denied = { status: 401, code: "unauthorized" };
type Sent = Pick<Probe, "body" | "headers" | "key">;
type Outcome = { title: string; status: number; code?: string; blamed?: string } & Sent;

const large = `{"padding":"${"x".repeat(1_048_576)}"}`;
test("A route without a body ignores a sent body, and does not read it", async () => {
  const bodies: Sent[] = [
    { body: "{", headers: { "content-type": "application/json" } },
    { body: Buffer.from("\xff\xfe", "latin1"), headers: { "content-type": "application/json" } },
    { body: "junk", headers: { "content-type": "multipart/form-data; boundary=x" } },
    { body: `[${"[1],".repeat(1_000_000)}1]`, headers: { "content-type": "application/json" } },
    { body: endless, headers: { "content-type": "application/json" } },
  ];
  const service = await world();
  await furnish(service);
  const routes = routesOf(service).filter(({ method, body }) => method === "DELETE" && !body);
  expect(routes).toHaveLength(10);
  const probes = routes.flatMap(({ method, path }) =>
    bodies.map((sent, i) => ({
      title: `${method} ${path} with body ${i}`,
      method,
      path: path.replace(/:externalId/, "nobody").replace(/:\w+/, "999"),
      ...sent,
      status: 404,
      code: "not_found",
    })),
  );
  expect(await faultsOf(service, probes)).toEqual([]);
});

/** Whether the route accepts the key in the body. */
const takesBodyKey = (path: string) => path.startsWith("/v1/");

test("Without a key every route with a body is 401, before the body is read", async () => {
  const bodies: Sent[] = [{}, { body: "{}" }, { body: `{${marker}` }, { body: large }, { body: endless }];
  await expectOfRoutes(
    () => true,
    ({ path }) =>
      [marker, `ak_${"0".repeat(36)}`, ...(takesBodyKey(path) ? [] : [null, ""])].flatMap((key) =>
        bodies.map((sent, i) => ({ title: `body ${i}, key ${key}`, ...sent, key, ...denied })),
      ),
  );
});

test("On routes that accept the key in the body, a body without a key is 401 before it is parsed, and one that cannot be read is rejected first", async () => {
  const keys = [
    "null",
    "1",
    "true",
    "[]",
    "{}",
    '""',
    `"${marker}"`,
    `"ak_${"0".repeat(36)}"`,
    `["${marker}"]`,
  ];
  const bodies = ["{}", '{"batch":[]}', ...keys.map((key) => withMember({ batch: [] }, "writeKey", key))];
  const outcomes: Outcome[] = [
    ...bodies.map((body) => ({ title: body, body, ...denied })),
    {
      title: "__proto__",
      body: withMember({ batch: [] }, "__proto__", `{"writeKey":"${marker}"}`),
      ...denied,
    },
    { title: "no JSON", body: `{${marker}`, ...denied },
    { title: "too large", body: large, ...tooLarge },
    { title: "without an end", body: endless, ...tooLarge },
    { title: "no body at all", ...unsupported },
  ];
  await expectOfRoutes(
    ({ path }) => takesBodyKey(path),
    () => [null, ""].flatMap((key) => outcomes.map((outcome) => ({ ...outcome, key }))),
    15,
  );
});

test("No member of __proto__ replaces a missing member of the body", async () => {
  const harm =
    '{"polluted":true,"name":"b","title":"b","accountId":1,"startAt":"2026-01-01","endAt":"2026-01-01"}';
  await expectOfRoutes(isOfChild, ({ method }) =>
    ["__proto__", "constructor", "prototype", "toString", "then"].map((name) => ({
      title: `${name} alone`,
      body: withMember({}, name, harm),
      status: 400,
      code: method === "PATCH" ? "no_valid_fields" : "invalid_request",
    })),
  );
});

/** Sends bodies that each of the chosen routes must reject. */
async function expectOfRoutes(
  isChosen: (route: Route) => boolean,
  outcomes: (route: Route) => Outcome[],
  atLeast = 9,
) {
  const service = await world();
  const ids = await furnish(service);
  const routes = routesOf(service).filter((route) => route.body && isChosen(route));
  expect(routes.length).toBeGreaterThanOrEqual(atLeast);
  const probes = routes.flatMap((route) =>
    outcomes(route).map((outcome) => ({
      ...outcome,
      title: `${route.method} ${route.path}: ${outcome.title.slice(0, 60)}`,
      method: route.method,
      path: existing(route.path, ids),
    })),
  );
  expect(await faultsOf(service, probes)).toEqual([]);
}

function isOfChild({ path }: Route): boolean {
  return /\/(contacts|meetings|requests)\b/.test(path);
}

/** The body as JSON text, with one added or replaced member. The value is JSON text, too. */
function withMember(body: Record<string, unknown>, name: string, value: string): string {
  const others = Object.entries(body).filter(([one]) => one !== name);
  const members = others.map(([one, member]) => `"${one}":${JSON.stringify(member)}`);
  return `{${[...members, `"${name}":${value}`].join(",")}}`;
}

function endless(): ReadableStream<Uint8Array> {
  return new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(0x20)) });
}
