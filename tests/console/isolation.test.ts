import { expect, test } from "bun:test";
import { deleteOrganization } from "../../src/organizations/delete.ts";
import { accounts, consoleWorld, session } from "./console-world.ts";

test("a token with the id of another organization, or changed in any way, is no session", async () => {
  const { signIn, read, who, first, second } = await consoleWorld();
  const [token, other] = [await signIn(), await signIn(second.key)];
  const random = token.slice(token.indexOf("."));
  const last = token.endsWith("A") ? "B" : "A";
  for (const forged of [
    `${second.id}${random}`,
    `${first.id}${other.slice(other.indexOf("."))}`,
    `0${token}`,
    `+${token}`,
    `${first.id}.0${random}`,
    `${first.id}e0${random}`,
    `9007199254740993${random}`,
    random,
    token.slice(0, -1),
    token.slice(0, -1) + last,
    `${token}=`,
    token.toUpperCase() === token ? token.toLowerCase() : token.toUpperCase(),
    `${first.id}.${"%".repeat(43)}`,
    `"${token}"`,
  ])
    expect([forged, await read(forged), await who(forged)]).toEqual([forged, 401, null]);
  expect([await read(token), await read(other)]).toEqual([200, 200]);
});

test("a rejected session has the same bytes as a missing key", async () => {
  const { send, call, signIn } = await consoleWorld();
  const token = await signIn();
  await send("DELETE", session, { token });
  const headers = { "x-request-id": "same" };
  const bytes = ({ text, headers }: Awaited<ReturnType<typeof call>>) => JSON.stringify([text, [...headers]]);
  for (const [method, path] of [
    ["GET", accounts],
    ["PATCH", `${accounts}/1`],
    ["GET", "/api/v1/keys"],
  ] as const) {
    const missing = await call(method, path, undefined, { key: null, headers });
    for (const used of [token, "x", ""])
      expect(bytes(await send(method, path, { token: used, headers }))).toBe(bytes(missing));
    expect(missing.status).toBe(401);
  }
});

test("the API ignores the cookie without the console's header, and in requests of another site", async () => {
  const { send, call, signIn, rows } = await consoleWorld();
  const token = await signIn();
  const cookie = `accountd_session=${token}`;
  for (const [method, path, body] of [
    ["GET", accounts, undefined],
    ["POST", accounts, { name: "New" }],
    ["POST", "/api/v1/events", { event: "login", externalId: "x" }],
  ] as const) {
    const plain = await call(method, path, body, { key: null, headers: { cookie } });
    expect([method, path, plain.status]).toEqual([method, path, 401]);
    for (const headers of [
      { "x-accountd-console": "" },
      { "x-accountd-console": "2" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "none" },
    ]) {
      const { status } = await send(method, path, { token, headers, body });
      expect([headers, path, status]).toEqual([headers, path, 401]);
    }
    const { status } = await send(method, path, {
      token,
      headers: { "sec-fetch-site": "same-origin" },
      body,
    });
    expect(status).toBeLessThan(300);
  }
  expect(await rows("SELECT id FROM accounts")).toHaveLength(1);
});

test("a key in the headers has precedence over the cookie, also an invalid one", async () => {
  const { signIn, call, account, second } = await consoleWorld();
  await account({ name: "Of the first" });
  const headers = { "x-accountd-console": "1", cookie: `accountd_session=${await signIn()}` };
  const read = (key: string) => call("GET", accounts, undefined, { key, headers });
  expect((await read(second.key)).body.pagination.total).toBe(0);
  expect((await read("ak_wrong")).status).toBe(401);
});

test("a session is rejected in requests of a tab that shows another key, and nothing is stored", async () => {
  const { send, call, signIn, who, rows, first, second } = await consoleWorld();
  const own = await signIn();
  const shown: { key: { id: number } } = await who(own);
  const tab = { "x-accountd-key": String(shown.key.id) };
  const token = await signIn(second.key);
  const detail = "This browser has signed in with another key since. Reload the page.";
  for (const headers of [tab, { "x-accountd-key": "" }, { "x-accountd-key": "x" }])
    for (const [method, path, body] of [
      ["GET", accounts, undefined],
      ["POST", accounts, { name: "New" }],
      ["POST", `${accounts}/batch`, { accounts: [{ externalId: "new", name: "New" }] }],
      ["POST", "/api/v1/events", { event: "login", externalId: "x" }],
      ["DELETE", `${session}?everywhere=true`, undefined],
    ] as const) {
      const reply = await send(method, path, { token, headers, body });
      expect([method, path, reply.status]).toEqual([method, path, 401]);
      expect(reply.body).toMatchObject({ code: "unauthorized", detail });
      expect(reply.headers.get("www-authenticate")).toBe('Basic realm="accountd", ApiKey realm="accountd"');
    }
  expect(await rows("SELECT id FROM accounts")).toEqual([]);
  expect(await who(token)).toMatchObject({ organization: { name: "Second" } });
  const write = await send("POST", accounts, { token: own, headers: tab, body: { name: "Of the first" } });
  expect(write.status).toBe(201);
  expect((await send("GET", session, { token, headers: tab })).status).toBe(200);
  // A key in the headers is no session.
  const byKey = await call("GET", accounts, undefined, {
    key: first.key,
    headers: { "x-accountd-key": "0" },
  });
  expect(byKey.status).toBe(200);
});

test("a tab that shows another key is not a failed authentication", async () => {
  const limits = { authFailureLimit: 1, addressOf: () => "192.0.2.1", now: () => 0 };
  const { send, signIn, read } = await consoleWorld({ limits });
  const token = await signIn();
  for (let i = 0; i < 3; i += 1)
    expect((await send("GET", accounts, { token, headers: { "x-accountd-key": "0" } })).status).toBe(401);
  expect(await read(token)).toBe(200);
});

test("/v1 and every path that is not of the API ignore the cookie", async () => {
  const { send, signIn, rows } = await consoleWorld();
  const token = await signIn();
  const batch = { batch: [{ type: "track", event: "e", context: { groupId: "x" } }] };
  for (const path of ["/v1/batch", "/v1/b"])
    expect([path, (await send("POST", path, { token, body: batch })).status]).toEqual([path, 401]);
  expect(await rows("SELECT id FROM events")).toEqual([]);
});

test("a session is accepted nowhere but in its cookie", async () => {
  const { call, signIn } = await consoleWorld();
  const token = await signIn();
  const header = { "x-accountd-console": "1" };
  const places: Record<string, string>[] = [
    { "x-api-key": token },
    { authorization: `Bearer ${token}` },
    { "x-accountd-session": token },
    { cookie: `accountd_session_=${token}` },
    { cookie: `xaccountd_session=${token}` },
    { cookie: `x="accountd_session=${token}"` },
  ];
  for (const headers of places)
    expect(
      (await call("GET", accounts, undefined, { key: null, headers: { ...header, ...headers } })).status,
    ).toBe(401);
  const query = `${accounts}?accountd_session=${token}`;
  expect((await call("GET", query, undefined, { key: null, headers: header })).status).toBe(401);
});

test("the deletion of an organization ends its sessions and deletes their rows", async () => {
  const { signIn, read, who, engine, first, second, stored } = await consoleWorld();
  const [token, other] = [await signIn(), await signIn(second.key)];
  await deleteOrganization(engine, first.id);
  expect([await read(token), await who(token), await read(other)]).toEqual([401, null, 200]);
  expect(await stored()).toHaveLength(1);
});
