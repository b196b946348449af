import { expect, test } from "bun:test";
import { world } from "../support/world.ts";
import { faultsOf, marker, type Probe } from "./probes.ts";
import { furnish, type Route, routesOf, withId } from "./routes.ts";

const invalid = { status: 400, code: "invalid_request" };
const malformed = { status: 400, code: "malformed_url" };
const notFound = { status: 404, code: "not_found" };

test("An id that is not plain decimal digits up to 2^53 - 1 is 400, on every route that has one", async () => {
  const numbers = [
    "1e3",
    "0x10",
    "0b1",
    "0o7",
    "01",
    "00",
    "-1",
    "+1",
    "%2B1",
    " 1",
    "%201",
    "1%20",
    "1%0a",
    "%091",
  ];
  const fractions = [
    "1.0",
    "1.5",
    ".1",
    "1.",
    "1,2",
    "1_000",
    "1n",
    "1;x=1",
    "1&x",
    "%31%2e0",
    "Infinity",
    "NaN",
  ];
  const large = [
    "9007199254740992",
    "9007199254740993",
    "99999999999999999999",
    "9".repeat(4000),
    "1".repeat(16_000),
  ];
  const words = [
    "null",
    "undefined",
    "true",
    "__proto__",
    "constructor",
    marker,
    "$1",
    "*",
    ":accountId",
    "%7B%7D",
  ];
  const foreign = ["%EF%BC%91", "%D9%A1", "%C2%B2", "1%2F2", "..%2F1", "%252e", "1'--", "1%20OR%201=1"];
  const broken = [
    "%",
    "%3",
    "%31%zz",
    "%00",
    "1%00",
    "%ff",
    "%c0%b1",
    "%ed%a0%80",
    "%f4%90%80%80",
    `${marker}%`,
  ];
  // Each call of faultsOf creates five accounts, so a small id may exist.
  const none = ["0", "9007199254740991", "%39%30%30%30%30%30%30"];
  const service = await world();
  await furnish(service);
  const routes = routesOf(service).filter(({ path }) => /:(?!externalId)/.test(path));
  expect(routes).toHaveLength(24);
  for (const route of routes) {
    const blamed = /:(\w+)/.exec(route.path)?.[1] ?? "";
    const probes = [
      ...[...numbers, ...fractions, ...large, ...words, ...foreign].map((id) =>
        withIdOf(route, id, { ...invalid, blamed }),
      ),
      ...broken.map((id) => withIdOf(route, id, malformed)),
      ...none.map((id) => withIdOf(route, id, notFound)),
    ];
    expect(await faultsOf(service, probes)).toEqual([]);
  }
});

test("An external id in a path that is too long or not valid text is rejected", async () => {
  const service = await world();
  await furnish(service);
  const long = [marker.padEnd(256, "x"), marker.repeat(1000), "%F0%9F%98%80".repeat(256)];
  const broken = ["%", "%3", "%zz", "%00", "a%00b", "%ff", "%c0%af", "%ed%a0%80", `${marker}%`];
  // A text with a reserved character is another path.
  const elsewhere = ["", ".", "..", "%2e%2e", "a/b", "a/", `${marker}/`];
  const outcomes = [
    ...long.map((id) => ({ id, ...invalid, blamed: "externalId" })),
    ...broken.map((id) => ({ id, ...malformed })),
    ...elsewhere.map((id) => ({ id, ...notFound })),
  ];
  const routes = routesOf(service).filter(({ path }) => path.endsWith("/external/:externalId"));
  expect(routes).toHaveLength(13);
  const probes = routes.flatMap(({ method, path, body }) =>
    outcomes.map(({ id, ...expected }) => ({
      title: `${method} ${path} with ${id.slice(0, 40)}`,
      method,
      // Compared with the sent URL, in which dot segments are resolved.
      path: new URL(path.replace(":externalId", id), "http://localhost").pathname,
      ...(body && { body: JSON.stringify(body) }),
      ...expected,
    })),
  );
  expect(await faultsOf(service, probes)).toEqual([]);
});

test("Any other text is a literal external id", async () => {
  const service = await world();
  await furnish(service);
  const texts = [
    "__proto__",
    "constructor",
    "external",
    "7",
    ":externalId",
    "*",
    "a/b",
    "../1",
    "a\\b",
    "%41",
  ];
  const marks = [
    " ",
    "a b",
    "+",
    "?",
    "#",
    "&=",
    "'; DROP TABLE contacts; --",
    '"',
    "\n",
    "ÉCLAIR",
    "éclair",
  ];
  const all = [...texts, ...marks, "\u202e", "😀".repeat(255), "x".repeat(255)];
  const puts = routesOf(service).filter(({ method }) => method === "PUT");
  expect(puts).toHaveLength(4);
  for (const { path, body } of puts) {
    const answers = [];
    for (const [i, text] of all.entries()) {
      const given = { ...body, ...(path.includes("contacts") && { email: `${i}@x.io` }) };
      const address = path.replace(":externalId", encodeURIComponent(text));
      const { status, body: reply } = await service.call("PUT", address, given);
      const found = await service.call("GET", address);
      answers.push([status, reply.data?.externalId, found.status, found.body.data?.id === reply.data?.id]);
    }
    expect(answers).toEqual(all.map((text) => [201, text, 200, true]));
    const deleted = [];
    for (const text of all) {
      const address = path.replace(":externalId", encodeURIComponent(text));
      deleted.push([
        (await service.call("DELETE", address)).status,
        (await service.call("GET", address)).status,
      ]);
    }
    expect(deleted).toEqual(all.map(() => [204, 404]));
  }
});

function withIdOf(route: Route, id: string, expected: Pick<Probe, "status" | "code" | "blamed">): Probe {
  const { method, path, body } = route;
  return {
    title: `${method} ${path} with ${id.slice(0, 40)}`,
    method,
    path: withId(path, id),
    ...(body && { body: JSON.stringify(body) }),
    ...expected,
  };
}
