import { expect, test } from "bun:test";
import { Problem } from "../../src/core/errors.ts";
import { checkQuery, pathOf } from "../../src/http/guard/request-line.ts";

function request(url: string, host?: string): Request {
  // `new Request` throws for an invalid URL; a request of the server can have one.
  return { url, headers: new Headers(host === undefined ? {} : { host }) } as Request;
}

/** A route that has these query parameters. */
function route(parameters: string[] = [], isStrict = false) {
  const lists = new Set<string>();
  return { pattern: "/y", parameters: new Set(parameters), lists, isStrict, hasAttributes: false };
}

/** The thrown Problem as code, detail and errors; undefined when nothing is thrown. */
function problemOf(work: () => unknown) {
  try {
    work();
    return undefined;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { code: error.code, errors: error.errors, detail: error.message };
  }
}

test("the path is the part before the query, also without a Host", () => {
  expect(pathOf(request("http://localhost/b%20c?d=/e"))).toBe("/b%20c");
});

test.each(["", "/%", "/%2", "/%zz", "/%ff", "/%c0%af", "/a%00b", "/%ed%a0%80", "/%EF%BF%BD"])(
  "%s is a malformed path",
  (path) => {
    expect(problemOf(() => pathOf(request(`http://x${path}`, "x")))?.code).toBe("malformed_url");
  },
);

const validNames = ["page", "a b"];
const queried = (query: string) =>
  problemOf(() => checkQuery(request(`http://x/y${query}`), route(validNames)));

test.each([
  "",
  "?",
  "?a=1",
  "?a=1&b=1",
  "&a&a",
  "?a=1&A=1",
  "?&&",
  "?a",
  "?a==&b=%3D",
  "?page=1&pages=1",
  "?%20=1&b= ",
])("the query %j is accepted", (query) => {
  expect(queried(query)).toBeUndefined();
});

test.each([
  "?%",
  "?a=%",
  "?a=%ff",
  "?%00=1",
  "?a=%00",
  "?a=1&b=x=%zz",
  "?a=%3=D",
  "?a=%EF%BF%BD",
  "?%EF%BF%BD=a",
])("the query %s is malformed", (query) => {
  expect(queried(query)?.code).toBe("malformed_url");
});

test("a repeated parameter is rejected by its name, and an unknown one is ignored", () => {
  for (const query of ["?x=1&x=2", "?x&x", "?x=&x", "?=1&=2", "?%78=1&x=1"])
    expect(queried(query)).toBeUndefined();
  const named = (...parameters: string[]) => ({
    code: "invalid_request",
    detail: "Correct the fields or parameters listed in errors.",
    errors: parameters.map((parameter) => ({ parameter, code: "repeated", detail: "must be given once" })),
  });
  expect(queried("?page=1&page=1")).toMatchObject(named("page"));
  expect(queried("?p%61ge=1&b=2&page=1&page=1")).toMatchObject(named("page"));
  expect(queried("?a+b=1&page&a%20b=1&page&x&x")).toMatchObject(named("a b", "page"));
});

const strict = (query: string, parameters = validNames) =>
  problemOf(() => checkQuery(request(`http://x/y${query}`), route(parameters, true)));

test.each(["", "?", "?&&", "?page=1", "?p%61ge=1", "?a+b=1&page=", "?page"])(
  "a strict route accepts the query %j",
  (query) => {
    expect(strict(query)).toBeUndefined();
  },
);

test.each([
  ["?pagee=1", "Unknown query parameter: did you mean `page`?"],
  ["?PAGE=1", "Unknown query parameter: did you mean `page`?"],
  ["?page=1&pgae=2&apge", "2 unknown query parameters: did you mean `page`?"],
  ["?ab=1&pagee=1", "2 unknown query parameters: did you mean `a b`, `page`?"],
  ["?minMrr=1", "Unknown query parameter. The valid names are `page`, `a b`."],
  ["?pagee=1&pagee=2", "Unknown query parameter: did you mean `page`?"],
  ["?=1", "Unknown query parameter. The valid names are `page`, `a b`."],
  ["?__proto__=1", "Unknown query parameter. The valid names are `page`, `a b`."],
  [
    "?pagee=1&constructor=2",
    "2 unknown query parameters: did you mean `page`? The valid names are `page`, `a b`.",
  ],
])("a strict route rejects the query %s and repeats no unknown name", (query, detail) => {
  expect(strict(query)).toEqual({ code: "unknown_parameter", errors: [], detail });
});

test("the problem of a strict route without parameters says that there are none", () => {
  const detail = "This operation has no query parameters.";
  expect(strict("?page=1", [])).toEqual({ code: "unknown_parameter", errors: [], detail });
});

test("malformed queries and repeated valid names are checked before unknown names", () => {
  expect(strict("?x=1&y=%")?.code).toBe("malformed_url");
  expect(strict("?x=1&page=1&page=2")).toMatchObject({ code: "invalid_request" });
  expect(strict("?x=1&page=1&x=2")?.code).toBe("unknown_parameter");
});

test("only the first five unknown names are compared, to limit the cost", () => {
  const far = Array.from({ length: 5 }, (_, i) => `unlike${i}`);
  const [near, ...others] = [strict(`?${far.slice(1).join("&")}&pagee`), strict(`?${far.join("&")}&pagee`)];
  expect(near?.detail).toBe(
    "5 unknown query parameters: did you mean `page`? The valid names are `page`, `a b`.",
  );
  expect(others[0]?.detail).toBe("6 unknown query parameters. The valid names are `page`, `a b`.");
});
