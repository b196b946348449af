import { expect, test } from "bun:test";
import { world } from "../support/world.ts";
import { faultsOf, marker, type Probe } from "./probes.ts";
import { existing, furnish, type Route, routesOf } from "./routes.ts";

type Fields = Record<string, string[]>;

/** JSON texts of values that are not strings, or not integers. */
const noText = ["1", "1.5", "true", "false", "[]", "{}", `["${marker}"]`, `{"${marker}":"${marker}"}`];
const noInteger = ["null", "true", "[]", "[1]", "{}", '""', '"1"', `"${marker}"`, "1.5", "1e400", "-1e400"];
const noName = [...noText, "null", '""', '" "', '"\\t\\n\\u00a0"', long(256)];
const noMoment = [
  ...[...noText, "null", '""', `"${marker}"`, '"1767225600000"', '"2026"', '"2026-02-30"', '"2026-13-01"'],
  ...['"2026-01-01T24:00:00Z"', '"2026-01-01T00:00:00+24:00"', '"2026-01-01T00:00:00 Z"'],
  ...['"+002026-01-01"', '"0000-01-01T00:00:00+01:00"', '"9999-12-31T23:59:59-01:00"', '"2026-01-01; DROP"'],
];
const noEmail = [
  ...[...noText, '"@"', `"${marker}"`, `"${marker}@"`, `"a@${marker}@b"`, '"a b@x.io"'],
  ...['"<a@x.io>"', '"a@x.io,b@x.io"', JSON.stringify(`${marker}@${"x".repeat(255)}`)],
];

/** The invalid values of each member. */
const refused: Record<string, Fields> = {
  contacts: { name: noName, email: noEmail },
  meetings: { title: noName, startAt: noMoment, endAt: [...noMoment, '"2025-12-31T23:59:59.999Z"'] },
  requests: {
    title: noName,
    status: [...noText, "null", '""', '"open"', '" Open"', `"${marker}"`, '"__proto__"', '"constructor"'],
    severity: [...noInteger, "0", "6", "-1", "9007199254740993"],
    requestedAt: [...noMoment, '"2026-01-02T03:09:05.679Z"', '"9999-12-31"'],
    resolvedAt: [...noMoment.filter((value) => value !== "null"), '"2026-01-02"', '"9999-12-31"'],
  },
};
const externalId = [...noText, long(256)];
const reference = {
  accountId: [...noInteger, "-1", "9007199254740993"],
  accountExternalId: [...noText, "null", '""', long(256)],
};
const sound: Record<string, Record<string, string>> = {
  contacts: { name: '"Ada"' },
  meetings: { title: '"Review"', startAt: '"2026-01-01"', endAt: '"2026-01-01"' },
  requests: { title: '"SSO"' },
};

test.each(["contacts", "meetings", "requests"])(
  "Each member of %s of the wrong type or range is 400 and named, and nothing changes",
  async (list) => {
    const service = await world();
    const ids = await furnish(service);
    const own = refused[list] ?? {};
    const known: Record<string, Fields> = {
      POST: { ...own, externalId },
      PATCH: { ...own, externalId },
      PUT: { ...own, ...reference },
    };
    const everything = async () =>
      Promise.all(
        [`/api/v1/accounts/${ids.accountId}`, `/api/v1/accounts/${ids.accountId}/${list}`].map(
          async (path) => (await service.call("GET", path)).text,
        ),
      );
    const before = await everything();
    const routes = routesOf(service).filter((route) => isOfChild(route) && route.path.includes(`/${list}`));
    expect(routes.map(({ method }) => method).toSorted()).toEqual(["PATCH", "POST", "PUT"]);
    const probes = routes.flatMap(({ method, path }) =>
      probesOf(method, existing(path, ids), known[method] ?? {}, {
        ...sound[list],
        ...(method === "PUT" && { accountId: String(ids.accountId) }),
      }),
    );
    expect(probes.length).toBeGreaterThan(100);
    expect(await faultsOf(service, probes)).toEqual([]);
    expect(await everything()).toEqual(before);
  },
);

test("A body in which every member is invalid gets one reply with all members", async () => {
  const service = await world();
  const ids = await furnish(service);
  const routes = routesOf(service).filter(isOfChild);
  expect(routes).toHaveLength(9);
  for (const { method, path } of routes) {
    const [, list = ""] = /\/(contacts|meetings|requests)\b/.exec(path) ?? [];
    const names = [
      ...Object.keys(refused[list] ?? {}),
      ...(method === "PUT" ? Object.keys(reference) : ["externalId"]),
    ];
    const wrong = Object.fromEntries(names.map((name) => [name, [marker]]));
    const reply = await service.call(method, existing(path, ids), wrong);
    const blamed = reply.body.errors.map(({ pointer }: { pointer: string }) => pointer);
    expect([method, path, reply.status, blamed.toSorted()]).toEqual([
      method,
      path,
      400,
      names.map((name) => `/${name}`).toSorted(),
    ]);
    expect(reply.text).not.toContain(marker);
  }
});

test("Read-only members are ignored in every body", async () => {
  const time = "2000-01-01T00:00:00.000Z";
  const given: Record<string, unknown> = {
    ...{ id: 77, organizationId: 2, foldedName: marker, foldedTitle: marker, foldedEmail: marker },
    ...{ createdAt: time, updatedAt: time, lastSeenAt: time },
  };
  const routes = routesOf(await world()).filter(isOfChild);
  expect(routes).toHaveLength(9);
  for (const { method, path, body } of routes) {
    const service = await world();
    const ids = await furnish(service);
    const { data } = (await service.call(method, existing(path, ids), { ...body, ...given })).body;
    const taken = Object.keys(given).filter((name) => data[name] === given[name]);
    expect([method, path, taken, data.accountId]).toEqual([method, path, [], ids.accountId]);
  }
});

/** Whether the route has the body of a contact, a meeting or a request. */
function isOfChild({ path, body }: Route): boolean {
  return body !== undefined && /\/(contacts|meetings|requests)\b/.test(path);
}

/** One probe for each value of each field; the other fields are those of `others`. */
function probesOf(method: string, path: string, fields: Fields, others: Record<string, string>): Probe[] {
  return Object.entries(fields).flatMap(([field, values]) =>
    values.map((value) => ({
      title: `${method} ${path} ${field}: ${value.slice(0, 60)}`,
      status: 400,
      code: "invalid_request",
      blamed: `/${field}`,
      method,
      path,
      body: bodyOf({ ...others, [field]: value }),
    })),
  );
}

function bodyOf(members: Record<string, string>): string {
  return `{${Object.entries(members).map(([name, value]) => `"${name}":${value}`)}}`;
}

function long(length: number): string {
  return JSON.stringify(marker.padEnd(length, "x"));
}
