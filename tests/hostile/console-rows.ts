import { newSecret } from "../../src/api-keys/secret.ts";
import type { Row } from "./refusal-table.ts";

const malformedJson = { status: 400, code: "malformed_json" };
const invalid = { status: 400, code: "invalid_request" };
const unauthorized = { status: 401, code: "unauthorized" };
const tooLarge = { status: 413, code: "payload_too_large" };
const unsupported = { status: 415, code: "unsupported_media_type" };

const fromConsole = { "x-accountd-console": "1" };
const signIn = { method: "POST", path: "/console/session", key: null, headers: fromConsole };
const accounts = "/api/v1/accounts";
const forgedTokens = [
  "",
  "x",
  "1",
  `1.${"A".repeat(43)}`,
  `0.${"A".repeat(43)}`,
  newSecret(),
  "x".repeat(5_000),
];
/** The routes of the console's sessions, which are not in the document, and forged sessions at the API. */
export const consoleRows: readonly Row[] = [
  ...["{", "[]", "null", "", `{"x":${"[".repeat(1_999)}${"]".repeat(1_999)}}`].map((body) => ({
    ...{ ...signIn, ...malformedJson, body },
    title: `sign-in with the body ${body.slice(0, 12)}`,
  })),
  ...[
    "{}",
    '{"key":null}',
    '{"key":1}',
    '{"key":""}',
    '{"key":"\\u0000"}',
    `{"key":"${"x".repeat(256)}"}`,
  ].map((body) => ({
    ...{ ...signIn, ...invalid, body, blamed: "/key" },
    title: `sign-in with the body ${body.slice(0, 20)}`,
  })),
  ...['{"link":["x"]}', '{"key":"x","link":"x"}'].map((body) => ({
    ...{ ...signIn, ...invalid, body, blamed: "/link" },
    title: `sign-in with the body ${body}`,
  })),
  { ...signIn, ...tooLarge, body: Buffer.alloc(4_097, 0x20), title: "sign-in with a body over 4 KiB" },
  {
    ...signIn,
    ...unsupported,
    body: "{}",
    headers: { ...fromConsole, "content-type": "text/plain" },
    title: "sign-in with text",
  },
  ...["POST", "DELETE"].map((method) => ({
    ...{ ...signIn, ...invalid, method, body: '{"key":"x"}', headers: {} },
    title: `${method} of a session by another page`,
  })),
  ...forgedTokens.flatMap((token) => {
    const headers = { ...fromConsole, cookie: `accountd_session=${token}` };
    const title = `with the session ${token.slice(0, 20)}`;
    return [
      { title: `GET ${accounts} ${title}`, path: accounts, key: null, headers, ...unauthorized },
      { title: `GET the session ${title}`, path: "/console/session", key: null, headers, status: 200 },
    ];
  }),
  ...forgedTokens
    .filter((token) => token !== "" && token.length <= 255)
    .flatMap((token) =>
      ["key", "link"].map((member) => ({
        ...{ ...signIn, ...unauthorized, body: JSON.stringify({ [member]: token }) },
        title: `sign-in with the ${member} ${token.slice(0, 20)}`,
      })),
    ),
];
