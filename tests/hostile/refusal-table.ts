import { newSecret } from "../../src/api-keys/secret.ts";
import { consoleRows } from "./console-rows.ts";
import type { Document, Operation, Parameter, Schema } from "./document.ts";
import type { Ids } from "./foreign-site.ts";
import { marker, type Probe } from "./probes.ts";

/** A probe and its operation, if there is one. */
export type Row = Probe & { operation?: Operation };
type Expected = Pick<Probe, "status" | "code" | "blamed" | "allow">;

const malformedUrl = { status: 400, code: "malformed_url" };
const malformedJson = { status: 400, code: "malformed_json" };
const invalid = { status: 400, code: "invalid_request" };
const invalidCursor = { status: 400, code: "invalid_cursor" };
const unknownParameter = { status: 400, code: "unknown_parameter" };
const unauthorized = { status: 401, code: "unauthorized" };
const notFound = { status: 404, code: "not_found" };
const wrongMethod = { status: 405, code: "method_not_allowed" };
const tooLarge = { status: 413, code: "payload_too_large" };
const unsupported = { status: 415, code: "unsupported_media_type" };

/** The expected reply of every operation to each kind of invalid request. */
export function refusals(document: Document, own: Ids): Row[] {
  const { operations } = document;
  const methodsAt = (path: string) => {
    const all = operations.filter((one) => one.path === path).map(({ method }) => method);
    return [...all, ...(all.includes("GET") ? ["HEAD"] : [])].sort().join(", ");
  };
  const patterns = operations.map(({ path }) => new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`));
  const isPath = (target: string) => patterns.some((pattern) => pattern.test(target));
  return [
    ...operations.flatMap((operation) => {
      const at = sound(document, operation, own);
      return [
        ...ofHeaders(operation, at),
        ...ofTarget(operation, at, methodsAt(operation.path), isPath),
        ...ofPath(operation, at),
        ...ofQuery(operation, at),
        ...ofBody(document, operation, at),
      ];
    }),
    ...elsewhere,
    ...consoleRows,
  ];
}

/** A valid request of the operation. */
export function sound(document: Document, operation: Operation, own: Ids): Row {
  const { method, path, body } = operation;
  const example = body && document.resolve(body).examples?.[0];
  return {
    operation,
    title: `${method} ${path}`,
    status: 200,
    method,
    path: path.replace(/\{(\w+)\}/g, (_, name: string) =>
      String(Object.entries(own).find(([one]) => one === name)?.[1]),
    ),
    ...(example !== undefined && { body: JSON.stringify(example) }),
  };
}

function ofHeaders({ isPublic }: Operation, at: Row): Row[] {
  if (isPublic) return [{ ...at, key: null }];
  const bad = ["", "x", "ak_", `ak_${"0".repeat(36)}`, newSecret(), `${newSecret()}0`, "x".repeat(5_000)];
  // If the key may be in the body, an empty header is like a missing one.
  return [null, ...bad].map((key) => ({ ...row(at, `with key ${key?.slice(0, 20)}`, unauthorized), key }));
}

function ofTarget(operation: Operation, at: Row, allow: string, isPath: (target: string) => boolean): Row[] {
  const { isPublic } = operation;
  const target = at.path ?? "";
  const wrong = ["OPTIONS", "PROPFIND"].map((method) => ({
    ...row(at, `by ${method}`, { ...wrongMethod, allow }),
    method,
    body: "",
  }));
  const others = [`${target}/`, `/${target}`, `${target}/x/y`, target.toUpperCase(), `${target};x`];
  // Not those that match a path with a parameter.
  const absent = others.filter((one) => !isPath(one));
  return [
    ...wrong,
    ...absent.map((one) => ({ ...row(at, `at ${one}`, notFound), path: one })),
    { ...row(at, "with a broken path", malformedUrl), path: `${target}%` },
    ...(isPublic ? [] : [{ ...row(at, "with a broken query", malformedUrl), path: `${target}?x=%zz` }]),
    ...ofQueryNames(operation, at, target),
  ];
}

function ofQueryNames({ path, parameters }: Operation, at: Row, target: string): Row[] {
  // Elsewhere unknown names are ignored.
  if (!path.startsWith("/api/")) return [];
  const known = parameters.find(({ in: place, explode }) => place === "query" && explode !== false)?.name;
  return [
    { ...row(at, "with an unknown name", unknownParameter), path: `${target}?x=1` },
    { ...row(at, "with an unknown name twice", unknownParameter), path: `${target}?x=1&x=2` },
    ...(known === undefined
      ? []
      : [{ ...row(at, "with a known name twice", invalid), path: `${target}?${known}=1&${known}=2` }]),
  ];
}

function ofPath({ path, method, parameters }: Operation, at: Row): Row[] {
  const name = parameters.find((one) => one.in === "path")?.name;
  if (name === undefined) return [];
  const asked = (text: string, expected: Expected) => ({
    ...row(at, `with ${text.slice(0, 20)} for ${name}`, expected),
    path: path.replace(`{${name}}`, text).replace("{deliveryId}", "1"),
  });
  const broken = ["%", "%ff", "%00", "%ed%a0%80"].map((text) => asked(text, malformedUrl));
  if (name === "externalId" || name === "userId") {
    const long = asked("x".repeat(256), { ...invalid, blamed: name });
    return [...broken, long, ...(method === "PUT" ? [] : [asked("nobody", notFound)])];
  }
  if (name === "name") {
    const bad = ["-1", "0x", "a-b", "a.b", "%20", "__proto__", "%C3%A9", "x".repeat(65)];
    return [...broken, ...bad.map((text) => asked(text, { ...invalid, blamed: name }))];
  }
  const odd = ["x", "-1", "01", "1.0", "1e3", "0x1", "+1", "%20", "9007199254740992", "null"];
  return [
    ...broken,
    ...odd.map((text) => asked(text, { ...invalid, blamed: name })),
    ...["0", "900000000", "9007199254740991"].map((text) => asked(text, notFound)),
  ];
}

function ofQuery({ parameters }: Operation, at: Row): Row[] {
  const asked = (query: string, expected: Expected) => ({
    ...row(at, `with ?${query.slice(0, 40)}`, expected),
    path: `${at.path}?${query}`,
  });
  const hasPages = parameters.some(({ name }) => name === "page");
  return (
    parameters
      // The names of attributes are the caller's.
      .filter((one) => one.in === "query" && one.name !== "attributes")
      .flatMap(({ name, schema, explode }) => {
        const refused = { ...invalid, blamed: name };
        const values = name === "cursor" ? [] : refusedBy(schema);
        return [
          ...values.map((text) => asked(`${name}=${text}`, refused)),
          ...(name === "cursor" ? badCursors.map((query) => asked(query, invalidCursor)) : []),
          ...(name === "cursor"
            ? [asked("cursor=&page=1", hasPages ? invalidCursor : unknownParameter)]
            : []),
          ...(explode === false ? [] : [asked(`${name}=1&${name}=1`, refused)]),
        ];
      })
  );
}

/** An empty cursor is the first page. A cursor is not encrypted: the last one has a position, without its MAC. */
const badCursors = [
  ...["cursor=x", "cursor=__proto__", "cursor=%20"],
  `cursor=${Buffer.concat([Buffer.alloc(16), Buffer.from('["acme",1]')]).toString("base64url")}`,
];

function refusedBy({ type, format, maxLength, items }: Parameter["schema"]): string[] {
  if (type === "integer") return ["x", "", "-1", "1.0", "01", "9007199254740992"];
  if (type === "number") return ["", "x", "01", ".5", "1e999"];
  if (items?.maxLength !== undefined) return ["", "x,", "x".repeat(items.maxLength + 1)];
  if (maxLength !== undefined) return ["x".repeat(maxLength + 1)];
  return format === undefined ? ["", "x", "__proto__"] : ["", "x", "2026-02-30"];
}

function ofBody(document: Document, { body, path }: Operation, at: Row): Row[] {
  if (!body) return [];
  const sent = (title: string, expected: Expected, text: string | Uint8Array, headers = {}) => ({
    ...row(at, `with ${title}`, expected),
    body: text,
    headers,
  });
  const { properties = {}, anyOf } = document.resolve(body);
  // Operations with an outcome for each item have other rules for items.
  const { items, batch, accounts, operations } = properties;
  const hasOutcomes = (anyOf ?? items ?? batch ?? accounts ?? operations) || path.startsWith("/v1/");
  const members = hasOutcomes ? [] : Object.entries(properties);
  return [
    ...[
      "{",
      "[]",
      "null",
      "1",
      '{"a":1}}',
      "",
      '{"a":NaN}',
      `{"x":${"[".repeat(9_999)}${"]".repeat(9_999)}}`,
    ].map((text) => sent(`the body ${text.slice(0, 12)}`, malformedJson, text)),
    sent("bytes that are no text", malformedJson, Buffer.from([0x7b, 0xff, 0x7d])),
    sent("a body over 1 MiB", tooLarge, Buffer.alloc(1_048_577, 0x20)),
    sent("another kind of body", unsupported, "{}", { "content-type": "text/html" }),
    sent("no kind of body", unsupported, "{}", { "content-type": null }),
    sent("an encoded body", unsupported, "{}", { "content-encoding": "br" }),
    sent("a body that is no gzip", malformedJson, "{}", { "content-encoding": "gzip" }),
    ...members.flatMap(([name, schema]) =>
      badFor(document.resolve(schema)).map((value) =>
        sent(`${value} for ${name}`, { ...invalid, blamed: `/${name}` }, with_(at, name, value)),
      ),
    ),
  ];
}

function badFor(schema: Schema): string[] {
  const { type, format, minimum, maximum, minLength, maxLength } = schema;
  const types = [type].flat();
  if (types.includes("object")) return ["[]", "true", '"1"', "1"];
  const isText = types.includes("string");
  const isBoolean = types.includes("boolean");
  const wrong = [
    "[]",
    "{}",
    ...(isBoolean ? [] : ["true"]),
    isText ? "1" : '"1"',
    ...(types.includes("null") ? [] : ["null"]),
  ];
  if (!isText)
    return [
      ...[...wrong, "1e400", "-1e400"],
      ...(types.includes("integer") ? ["1.5"] : []),
      ...[minimum, maximum].flatMap((limit, i) =>
        limit === undefined ? [] : [String(i === 0 ? limit - 1 : limit + 1)],
      ),
    ];
  return [
    ...[...wrong, '"\\u0000"', '"a\\ud800"'],
    ...(schema.enum || format ? [`"${marker}"`, '"__proto__"'] : []),
    ...(minLength ? ['""'] : []),
    ...(maxLength === undefined ? [] : [JSON.stringify(marker.padEnd(maxLength + 1, "x"))]),
  ];
}

/** The body as JSON text, with a member replaced by a JSON text. */
function with_({ body }: Row, name: string, value: string): string {
  const members = Object.entries(JSON.parse(String(body))).filter(([one]) => one !== name);
  const all = members.map(([one, member]) => `${JSON.stringify(one)}:${JSON.stringify(member)}`);
  return `{${[...all, `"${name}":${value}`]}}`;
}

function row(at: Row, title: string, expected: Expected): Row {
  return { ...at, ...expected, title: `${at.title} ${title}` };
}

const paths = [
  ...["//", "/api", "/api/v1", "/api/v2/accounts", "/accounts", "/.env", "/metrics", "/__proto__"],
  ...["/docs//", "/docs/x", "/docs/assets/x", "/docs/assets/..%2f..%2fpackage.json", "/livez/x", "/Livez"],
  ...[
    "/console//",
    "/console/x",
    "/console/accounts/1/2",
    "/console/assets/x",
    "/console/assets/..%2f..%2fmain.js",
  ],
  ...["/%61pi/v1/accounts", "/api%2Fv1%2Faccounts", "/api//v1/accounts", `/${"a".repeat(8_000)}`],
];
const elsewhere: Row[] = [
  ...["x-http-method-override", "x-http-method", "x-method-override"].map((header) => ({
    ...{ title: `POST with ${header}`, method: "POST", path: "/api/v1/accounts/1", body: "{}" },
    ...{ headers: { [header]: "PATCH" }, ...wrongMethod },
  })),
  ...paths.flatMap((path) => [
    { title: `GET ${path.slice(0, 40)}`, path, ...notFound },
    { title: `GET ${path.slice(0, 40)} without a key`, path, key: null, ...notFound },
  ]),
];
