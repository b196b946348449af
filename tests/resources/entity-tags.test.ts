import { expect, test } from "bun:test";
import { resourceCases, resourceWorld, versionIn } from "./resource-rows.ts";

test.each(resourceCases)(
  "a change of a $noun increases its version by one, no change leaves it",
  async ({ path, external, change }) => {
    const { call, tagOf } = await resourceWorld();
    const first = await tagOf(path);
    expect(versionIn(first)).toBe(1);
    expect(await tagOf(external)).toBe(first);
    const updated = await call("PATCH", path, change);
    expect([updated.status, versionIn(updated.headers.get("etag"))]).toEqual([200, 2]);
    const same = await call("PATCH", path, change);
    expect([same.status, same.headers.get("etag")]).toEqual([200, updated.headers.get("etag")]);
    const put = await call("PUT", external, change);
    expect([put.status, versionIn(put.headers.get("etag"))]).toEqual([200, 2]);
    const back = await call("PUT", external, { name: "Third", title: "Third" });
    expect([back.status, versionIn(back.headers.get("etag"))]).toEqual([200, 3]);
    expect(versionIn(await tagOf(path))).toBe(3);
  },
);

test.each(resourceCases)(
  "a POST and a PUT that create a $noun return version 1",
  async ({ list, external, body }) => {
    const { call } = await resourceWorld();
    const posted = await call("POST", list, body);
    const put = await call("PUT", external.replace("/x", "/y"), { ...body, accountId: 1 });
    expect([posted, put].map(({ status, headers }) => [status, versionIn(headers.get("etag"))])).toEqual([
      [201, 1],
      [201, 1],
    ]);
  },
);

test.each(resourceCases)(
  "a GET of a $noun with the tag of its reply is 304 without a body",
  async ({ path, external, change }) => {
    const { call, tagOf } = await resourceWorld();
    const tag = await tagOf(path);
    const suffixed = ["-gzip", "-zstd", "-br", "-deflate"].map((suffix) => tag.replace(/"$/, `${suffix}"`));
    const values = [
      ...suffixed,
      `W/${suffixed[1]}`,
      tag,
      `W/${tag}`,
      `"1.other", ${tag}`,
      `"1.other",W/${tag} ,, "2.x"`,
      "*",
    ];
    for (const address of [path, external])
      for (const method of ["GET", "HEAD"])
        for (const value of values) {
          const reply = await call(method, address, undefined, { headers: { "if-none-match": value } });
          expect([address, method, value, reply.status, reply.text]).toEqual([
            address,
            method,
            value,
            304,
            "",
          ]);
          expect(reply.headers.get("etag")).toBe(tag);
          expect(reply.headers.get("cache-control")).toBe("private, no-cache");
          expect(reply.headers.get("x-request-id")).toMatch(/./);
        }
    await call("PATCH", path, change);
    const changed = await call("GET", path, undefined, { headers: { "if-none-match": tag } });
    expect([changed.status, versionIn(changed.headers.get("etag"))]).toEqual([200, 2]);
  },
);

test("tags that differ in the hash or in the version do not match, as other tags do not", async () => {
  const { call, tagOf } = await resourceWorld();
  const tag = await tagOf("/api/v1/accounts/1");
  for (const value of ['""', '"1"', '"1.x"', tag.replace('"1.', '"2.'), tag.toUpperCase(), '"*"']) {
    const { status } = await call("GET", "/api/v1/accounts/1", undefined, {
      headers: { "if-none-match": value },
    });
    expect([value, status]).toEqual([value, 200]);
  }
});

test("a new contact changes the hash of the tag of its account, and not the version", async () => {
  const { call, tagOf } = await resourceWorld();
  const before = await tagOf("/api/v1/accounts/1");
  await call("POST", "/api/v1/accounts/1/contacts", { name: "Grace" });
  const after = await tagOf("/api/v1/accounts/1");
  expect([versionIn(after), after === before]).toEqual([1, false]);
  expect(
    (await call("GET", "/api/v1/accounts/1", undefined, { headers: { "if-none-match": before } })).status,
  ).toBe(200);
});

test("last-seen timestamps, events and score jobs change no version", async () => {
  const { call, jobs, tagOf } = await resourceWorld();
  await call("PATCH", "/api/v1/contacts/1", { email: "ada@example.com" });
  const lastSeenAt = "2026-01-01T00:00:00Z";
  await call("POST", "/api/v1/last-seen", {
    items: [{ contactEmail: "ada@example.com", source: "crm", lastSeenAt }],
  });
  await call("POST", "/api/v1/events", { event: "login", accountId: 1 });
  await jobs.runJob(1, "scores");
  const { body } = await call("GET", "/api/v1/contacts/1");
  expect(body.data.lastSeenAt).toBe("2026-01-01T00:00:00.000Z");
  expect((await call("GET", "/api/v1/health")).body.data[0].score).toBeNumber();
  expect(versionIn(await tagOf("/api/v1/contacts/1"))).toBe(2);
  expect(versionIn(await tagOf("/api/v1/accounts/1"))).toBe(1);
});

test("the replies to a list, a delete and a problem have no tag, and are not stored", async () => {
  const { call } = await resourceWorld();
  const replies = [
    await call("GET", "/api/v1/accounts"),
    await call("GET", "/api/v1/accounts/9"),
    await call("PATCH", "/api/v1/accounts/1", {}),
    await call("DELETE", "/api/v1/meetings/1"),
  ];
  for (const { headers } of replies)
    expect([headers.get("etag"), headers.get("cache-control")]).toEqual([null, "no-store"]);
  expect((await call("PATCH", "/api/v1/accounts/1", { mrr: 1 })).headers.get("cache-control")).toBe(
    "no-store",
  );
});

test("an invalid If-None-Match of a GET is 400; another organization's row is 404 with any tag", async () => {
  const { call, second, tagOf } = await resourceWorld();
  for (const value of ["", "x", '"', '"a', 'a"', "W/", 'w/"1.x"', '"a" "b"', '*, "a"', '"a b"', "1.x"]) {
    const reply = await call("GET", "/api/v1/contacts/1", undefined, { headers: { "if-none-match": value } });
    expect([value, reply.status, reply.body.errors?.[0]]).toEqual([
      value,
      400,
      { header: "If-None-Match", code: "not_allowed", detail: expect.stringContaining("entity tags") },
    ]);
  }
  const tag = await tagOf("/api/v1/contacts/1");
  for (const value of [tag, "*"]) {
    const options = { key: second.key, headers: { "if-none-match": value } };
    const foreign = await call("GET", "/api/v1/contacts/1", undefined, options);
    const missing = await call("GET", "/api/v1/contacts/999", undefined, options);
    expect([foreign.status, foreign.text]).toEqual([404, missing.text]);
  }
});

test("a header with thousands of tags or separators is read", async () => {
  const { call, tagOf } = await resourceWorld();
  const tag = await tagOf("/api/v1/contacts/1");
  const headers: [string, number][] = [
    [`${'"a",'.repeat(3_000)}${tag}`, 304],
    [`${",".repeat(12_000)}${tag}`, 304],
    ['"a" '.repeat(3_000), 400],
    ['"'.repeat(12_001), 400],
    [`"${" ".repeat(12_000)}x`, 400],
  ];
  for (const [value, status] of headers) {
    const reply = await call("GET", "/api/v1/contacts/1", undefined, { headers: { "if-none-match": value } });
    expect([value.slice(0, 5), reply.status]).toEqual([value.slice(0, 5), status]);
  }
});
