import { expect, test } from "bun:test";
import { createFetch } from "../../src/http/create-fetch.ts";
import { world } from "../support/world.ts";
import { exchange, listening, request } from "./socket.ts";

const accounts = "/api/v1/accounts";

/** Status and problem code of each reply. The code is empty if Bun rejected the request, without a body. */
async function outcomes(port: number, text: string): Promise<[status: number, code: string][]> {
  const replies = await exchange(port, text);
  return replies.map(({ status, body }) => [status, /"code":"(\w+)"/.exec(body)?.[1] ?? ""]);
}

const validHosts = [
  "x",
  "X",
  "a_b",
  "a.",
  "1",
  "localhost:80",
  "localhost:",
  "_a",
  "[::1]",
  "[::1]:80",
  "[::ffff:1.2.3.4]:8080",
  "127.0.0.1:3000",
  "xn--a",
];
const invalidHosts = [
  ...[
    "",
    " ",
    "a b",
    "localhost?",
    "localhost/",
    "localhost/livez?",
    "a/../b",
    "/livez",
    "?",
    "#",
    "a#b",
    "a\\b",
  ],
  ...[
    "x@y",
    "@",
    "a,b",
    "*",
    "%61",
    "a%00",
    "\xe9",
    "a\tb",
    "<x>",
    "::1",
    "[::1",
    "[::1]x",
    "[x]",
    "a:b",
    "a:-1",
  ],
  ...[
    "a:123456",
    "a:80:80",
    "a;b",
    "-a",
    "a-",
    ".",
    "a..:1:2",
    ".a",
    "http://localhost",
    "localhost/livez",
    `${"a".repeat(2000)}/`,
  ],
];

test("A Host header that is a name or an address is accepted, also one of a single letter", async () => {
  await listening(async ({ first }, port) => {
    for (const host of validHosts) {
      const key = `x-api-key: ${first.key}`;
      expect([host, await outcomes(port, request(`GET ${accounts}`, [`Host: ${host}`]))]).toEqual([
        host,
        [[401, "unauthorized"]],
      ]);
      expect([host, await outcomes(port, request(`GET ${accounts}`, [`Host: ${host}`, key]))]).toEqual([
        host,
        [[200, ""]],
      ]);
    }
  });
});

test("Any other Host header is 400 on every path, with a key and without", async () => {
  await listening(async ({ first }, port) => {
    for (const host of invalidHosts)
      for (const line of [
        `GET ${accounts}`,
        `GET ${accounts}/1`,
        "GET /livez",
        `POST ${accounts}`,
        "DELETE /api/v1/contacts/1",
        "PUT /api/v1/requests/external/a",
        "GET /none",
      ])
        for (const key of ["", first.key]) {
          const answer = await outcomes(port, request(line, [`Host: ${host}`, `x-api-key: ${key}`]));
          expect([host, line, answer]).toEqual([host, line, [[400, "invalid_host"]]]);
        }
  });
});

test("Two Host headers are 400; a missing one is 400 by Bun, without a body", async () => {
  await listening(async ({ first }, port) => {
    const key = `x-api-key: ${first.key}`;
    for (const line of [`GET ${accounts}`, "GET /livez"]) {
      expect(await outcomes(port, request(line, ["Host: a", "Host: a", key]))).toEqual([
        [400, "invalid_host"],
      ]);
      expect(await outcomes(port, request(line, ["Host: localhost", "Host: x/livez?", key]))).toEqual([
        [400, "invalid_host"],
      ]);
      expect(await outcomes(port, request(line, [key]))).toEqual([[400, ""]]);
    }
  });
});

test("No Host header and no form of the URL reaches an account without a key", async () => {
  const targets = [
    ...[accounts, "/livez/../api/v1/accounts", "/livez/%2e%2e/api/v1/accounts", "/docs/..//api/v1/accounts"],
    ...[
      "/livez\\..\\api\\v1\\accounts",
      "\\api\\v1\\accounts",
      "//livez/api/v1/accounts",
      "/./api/v1/accounts",
    ],
    ...["/%61pi/v1/accounts", "/api/v1/accounts#x", "/api/v1/accounts#/livez", "/api/v1/accounts;/livez"],
    ...[
      "/api/v1/accounts?/livez",
      "/livez;/../api/v1/accounts",
      "/livez/../api/v1/accounts/1/contacts",
      "/docs/..//api/v1/requests",
      "/api/v1/contacts/1",
      "?/api/v1/accounts",
      "@x/api/v1/accounts",
      "*",
    ],
    ...[
      "http://localhost/api/v1/accounts",
      "http://x/livez/../api/v1/accounts",
      "HTTP://a@b/api/v1/accounts",
    ],
    ...[
      "http://livez/api/v1/accounts",
      "http:///api/v1/accounts",
      "https://localhost:1/api/v1/accounts",
      "/api/v1/accounts\xff",
    ],
  ];
  await listening(async ({ account }, port) => {
    await account({ name: "Secret", contactName: "Secret" });
    for (const host of [...validHosts, ...invalidHosts, "localhost"])
      for (const target of host === "localhost" ? targets : [accounts]) {
        const replies = await exchange(port, request(`GET ${target}`, [`Host: ${host}`]));
        expect([host, target, replies.length > 0, replies.filter(({ status }) => status < 400)]).toEqual([
          host,
          target,
          true,
          [],
        ]);
        expect(replies.map(({ body }) => body).join()).not.toContain("Secret");
      }
  });
});

test("Only GET and HEAD of the probes need no Host header, by HTTP/1.0", async () => {
  const { app, first } = await world();
  const fetch = createFetch(app.fetch);
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch });
  try {
    const sent = async (line: string, ...headers: string[]) => {
      const text = [`${line} HTTP/1.0`, ...headers, "", ""].join("\r\n");
      return (await outcomes(server.port ?? 0, text))[0];
    };
    for (const target of ["/livez", "/readyz", "/readyz?x=1"]) {
      expect([target, await sent(`GET ${target}`)]).toEqual([target, [200, ""]]);
      expect([target, await sent(`GET ${target}`, "Host: x")]).toEqual([target, [200, ""]]);
      expect([target, await sent(`GET ${target}`, "Host: /x")]).toEqual([target, [400, "invalid_host"]]);
      expect([target, await sent(`GET ${target}`, "Host: ")]).toEqual([target, [400, "invalid_host"]]);
      expect([target, await sent(`POST ${target}`)]).toEqual([target, [400, "invalid_host"]]);
    }
    for (const target of ["/", "/livez/", "/livez/../api/v1/accounts", "/livezz", accounts, "/docs/json"])
      expect([target, await sent(`GET ${target}`, `x-api-key: ${first.key}`)]).toEqual([
        target,
        [400, "invalid_host"],
      ]);
  } finally {
    await server.stop(true);
  }
});
