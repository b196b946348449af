import { expect, test } from "bun:test";
import type { LogFields } from "../../src/log.ts";
import { createFailureLog } from "../../src/server/failure-log.ts";
import { documentAt } from "../documents/documents.ts";
import { organization, serve } from "../support/server.ts";
import { temporaryFile } from "../support/world.ts";

test("--log-failures logs failed keys and sign-ins with the address of the client, and never a key", async () => {
  const file = temporaryFile("accountd.db");
  const key = await organization(file);
  const { url, process } = await serve(file, "0", "--log-failures", "--trusted-proxies", "127.0.0.1");
  const wrong = `${key.slice(0, -1)}${key.endsWith("0") ? "1" : "0"}`;
  const get = (headers: Record<string, string>) => fetch(`${url}/api/v1/accounts`, { headers });
  const signIn = (body: object) =>
    fetch(`${url}/console/session`, {
      method: "POST",
      headers: {
        "x-accountd-console": "1",
        "content-type": "application/json",
        "x-forwarded-for": "2001:db8::7",
      },
      body: JSON.stringify(body),
    });
  const replies = [
    await get({ "x-api-key": key }),
    await get({}),
    await get({ cookie: "accountd-session=1.x", "x-accountd-console": "1" }),
    await get({ "x-api-key": wrong, "x-forwarded-for": "203.0.113.7" }),
    await signIn({ key: wrong }),
    await signIn({ link: "1.nothing" }),
  ];
  expect(replies.map(({ status }) => status)).toEqual([200, 401, 401, 401, 401, 401]);
  process.kill("SIGTERM");
  const lines = (await process.stderr.text()).split("\n").filter((line) => line.includes("failed"));
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    {
      time: expect.any(String),
      level: "warn",
      event: "authentication_failed",
      address: "203.0.113.7",
      kind: "key",
    },
    {
      time: expect.any(String),
      level: "warn",
      event: "authentication_failed",
      address: "2001:db8::7",
      kind: "key",
    },
    {
      time: expect.any(String),
      level: "warn",
      event: "authentication_failed",
      address: "2001:db8::7",
      kind: "link",
    },
  ]);
  for (const secret of [key, wrong]) expect(lines.join()).not.toContain(secret);
  // The expression of the filter in the documents, with the addresses that fail2ban puts in place of its word.
  const [, expression = ""] = /^failregex = (.*)$/m.exec(documentAt("docs/operations.md")) ?? [];
  const pattern = new RegExp(expression.replace("<ADDR>", "([0-9a-f.:]+)"));
  expect(lines.map((line) => pattern.exec(line)?.[1])).toEqual(["203.0.113.7", "2001:db8::7", "2001:db8::7"]);
});

test("a minute has at most 20 lines of an address and 600 of all, and the next line has the number of the others", () => {
  let now = 0;
  let address = "";
  const lines: (LogFields | undefined)[] = [];
  const log = { warn: (_: string, fields?: LogFields) => void lines.push(fields) };
  const report = createFailureLog(
    log,
    () => address,
    () => now,
  );
  const request = new Request("http://localhost/");
  const fail = (from: string, times = 1) => {
    address = from;
    for (let i = 0; i < times; i += 1) report(request, "key");
  };
  fail("192.0.2.1", 50);
  expect(lines).toHaveLength(20);
  fail("192.0.2.2");
  expect(lines.at(-1)).toEqual({ address: "192.0.2.2", kind: "key", omittedCount: 30 });
  fail("");
  for (let i = 0; i < 1_000; i += 1) fail(`198.51.100.${i}`);
  expect(lines).toHaveLength(600);
  now = 60_000;
  fail("192.0.2.1", 50);
  expect(lines).toHaveLength(620);
});
