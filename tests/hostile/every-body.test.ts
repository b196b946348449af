import { expect, test } from "bun:test";
import { world } from "../support/world.ts";
import { faultsOf, marker, type Probe } from "./probes.ts";
import { existing, furnish, type Route, routesOf } from "./routes.ts";

const malformed = { status: 400, code: "malformed_json" };
const invalid = { status: 400, code: "invalid_request" };
const tooLarge = { status: 413, code: "payload_too_large" };
const unsupported = { status: 415, code: "unsupported_media_type" };
const denied = { status: 401, code: "unauthorized" };
type Sent = Pick<Probe, "body" | "headers" | "key">;
type Outcome = { title: string; status: number; code?: string; blamed?: string } & Sent;

const large = `{"padding":"${"x".repeat(1_048_576)}"}`;
const bomb = Bun.gzipSync(Buffer.alloc(16 * 1_048_576));

test("Every route with a body accepts only one JSON object of at most 1 MiB", async () => {
  const noObject = ["", " ", marker, `{"name":"${marker}"`, "null", "1", `"${marker}"`, "[]", "[{}]", "{}}"];
  const others = ["text/plain", "application/problem+json", "multipart/form-data; boundary=x", null];
  const wrong: Outcome[] = [
    ...noObject.map((body) => ({ title: `body ${body}`, body, ...malformed })),
    { title: "half a million open brackets", body: "[".repeat(500_000), ...malformed },
    { title: "invalid UTF-8", body: Buffer.from('{"name":"a\xff"}', "latin1"), ...malformed },
    ...others.map((type) => ({
      title: `of type ${type}`,
      body: "{}",
      headers: { "content-type": type },
      ...unsupported,
    })),
    { title: "encoded", body: "{}", headers: { "content-encoding": "br" }, ...unsupported },
    { title: "no gzip", body: "{}", headers: { "content-encoding": "gzip" }, ...malformed },
    { title: "a bomb", body: bomb, headers: { "content-encoding": "gzip" }, ...tooLarge },
    { title: "no body at all", ...unsupported },
    { title: "too large", body: large, ...tooLarge },
    { title: "too large, streamed", body: () => new Blob([large]).stream(), ...tooLarge },
  ];
  // JSON of other tools may have the type text/plain.
  const isWrong = ({ path }: Route, { title }: Outcome) =>
    !takesBodyKey(path) || title !== "of type text/plain";
  await expectOfRoutes(
    () => true,
    (route) => wrong.filter((outcome) => isWrong(route, outcome)),
  );
});

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
  expect(routes).toHaveLength(9);
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

test("Every route of a contact, a meeting or a request rejects too deep nesting and ill-formed text", async () => {
  const deep = `${"[".repeat(8)}${"]".repeat(8)}`;
  await expectOfRoutes(isOfChild, ({ body = {} }) => {
    const texts = Object.keys(body).filter((name) => typeof body[name] === "string");
    return [
      { title: "8 arrays in an unknown member", body: withMember(body, marker, deep), ...malformed },
      ...texts.map((name) => ({
        title: `8 arrays in ${name}`,
        body: withMember(body, name, deep),
        ...malformed,
      })),
      ...["\\u0000", "a\\u0000b", "\\ud800", "\\udc00\\ud800"].flatMap((text) => [
        ...texts.map((name) => ({
          title: `${text} in ${name}`,
          body: withMember(body, name, `"${text}"`),
          ...invalid,
          blamed: `/${name}`,
        })),
        { title: `${text} in an unknown member`, body: withMember(body, marker, `"${text}"`), ...invalid },
        { title: `${text} in a name`, body: withMember(body, `${marker}${text}`, "1"), ...invalid },
      ]),
    ];
  });
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
