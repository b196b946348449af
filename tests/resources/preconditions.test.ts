import { expect, test } from "bun:test";
import type { Reply } from "../support/world.ts";
import { resourceCases, resourceWorld, versionIn } from "./resource-rows.ts";

const codeOf = ({ status, body }: Reply) => [status, body.code];
const failed = [412, "precondition_failed"];

test.each(resourceCases)(
  "If-Match allows a write of a $noun of this version only",
  async ({ path, external, change }) => {
    const { call, tagOf } = await resourceWorld();
    const headers = { "if-match": await tagOf(path) };
    expect((await call("PATCH", path, change, { headers })).status).toBe(200);
    const changed = await call("GET", path);
    expect(codeOf(await call("PATCH", path, { name: "No", title: "No" }, { headers }))).toEqual(failed);
    expect(codeOf(await call("PUT", external, { name: "No", title: "No" }, { headers }))).toEqual(failed);
    expect(codeOf(await call("DELETE", path, undefined, { headers }))).toEqual(failed);
    expect(codeOf(await call("DELETE", external, undefined, { headers }))).toEqual(failed);
    expect((await call("GET", path)).text).toBe(changed.text);
    const current = { "if-match": await tagOf(path) };
    expect((await call("PUT", external, { name: "Yes", title: "Yes" }, { headers: current })).status).toBe(
      200,
    );
    expect(
      (await call("DELETE", external, undefined, { headers: { "if-match": '"3.xxxxxxxxxxxxx1"' } })).status,
    ).toBe(204);
    expect((await call("GET", path)).status).toBe(404);
  },
);

test("accounts by external id are updated and deleted with If-Match", async () => {
  const { call } = await resourceWorld();
  const path = "/api/v1/accounts/external/x";
  const headers = { "if-match": '"1.xxxxxxxxxxxxx1"' };
  expect((await call("PATCH", path, { mrr: 1 }, { headers })).status).toBe(200);
  expect(codeOf(await call("PATCH", path, { mrr: 2 }, { headers }))).toEqual(failed);
  expect(
    (await call("DELETE", path, undefined, { headers: { "if-match": '"2.xxxxxxxxxxxxx1"' } })).status,
  ).toBe(204);
});

test("If-Match ignores the suffix of a proxy that compressed the reply", async () => {
  const { call, tagOf } = await resourceWorld();
  const path = "/api/v1/accounts/1";
  for (const suffix of ["-gzip", "-zstd", "-br", "-deflate", "-gzip-zstd"])
    for (const weakness of ["", "W/"]) {
      const value = weakness + (await tagOf(path)).replace(/"$/, `${suffix}"`);
      const reply = await call("PATCH", path, { name: value }, { headers: { "if-match": value } });
      expect([value, reply.status]).toEqual([value, 200]);
    }
});

test("If-Match with a tag that lacks its hash or its id is 412", async () => {
  const { call, tagOf } = await resourceWorld();
  const [withoutId] = /^"1\.[0-9a-z]{13}/.exec(await tagOf("/api/v1/accounts/1")) ?? [];
  for (const value of ['"1"', '"1."', '"1.1"', '"1.abc"', `${withoutId}"`, `${withoutId}-gzip"`]) {
    const reply = await call("PATCH", "/api/v1/accounts/1", { mrr: 9 }, { headers: { "if-match": value } });
    expect([value, ...codeOf(reply)]).toEqual([value, ...failed]);
  }
});

test("If-Match compares the version and the id: any hash, W/ and any tag of a list may match; a new contact changes nothing", async () => {
  const { call } = await resourceWorld();
  await call("POST", "/api/v1/accounts/1/contacts", { name: "Grace" });
  const values = [
    '"1.otherotherabc1"',
    'W/"2.xxxxxxxxxxxxx1"',
    '"9.xxxxxxxxxxxxx1", "3.xxxxxxxxxxxxx1"',
    '"x", W/"4.xxxxxxxxxxxxx1",,',
    "*",
    ' "6.xxxxxxxxxxxxx1" ',
  ];
  for (const [i, value] of values.entries()) {
    const headers = { "if-match": value };
    const reply = await call("PATCH", "/api/v1/accounts/1", { mrr: i + 1 }, { headers });
    expect([value, reply.status, versionIn(reply.headers.get("etag"))]).toEqual([value, 200, i + 2]);
  }
  for (const value of [
    '"6.xxxxxxxxxxxxx1"',
    '"70.xxxxxxxxxxxxx1"',
    '"07.xxxxxxxxxxxxx1"',
    '"+7.xxxxxxxxxxxxx1"',
    '"7e0.xxxxxxxxxxxxx1"',
    '" "'.replace(" ", ""),
    '"__proto__"',
    '"x.7"',
  ]) {
    const reply = await call("PATCH", "/api/v1/accounts/1", { mrr: 99 }, { headers: { "if-match": value } });
    expect([value, ...codeOf(reply)]).toEqual([value, ...failed]);
  }
});

test("an invalid precondition of a write is 400 and changes nothing, also for a row that does not exist", async () => {
  const { call, tagOf } = await resourceWorld();
  const before = await tagOf("/api/v1/accounts/1");
  const invalid: [string, string][] = [
    ...[
      "",
      "x",
      "1",
      '"a',
      '*, "1.xxxxxxxxxxxxx1"',
      '"1.xxxxxxxxxxxxx1" "2.xxxxxxxxxxxxx1"',
      '"1. x"',
      "W/1",
    ].map((value): [string, string] => ["If-Match", value]),
    ...["", "x", '"1.xxxxxxxxxxxxx1"', 'W/"1.xxxxxxxxxxxxx1"', "**"].map((value): [string, string] => [
      "If-None-Match",
      value,
    ]),
  ];
  for (const [header, value] of invalid)
    for (const id of [1, 999]) {
      const reply = await call(
        "PATCH",
        `/api/v1/accounts/${id}`,
        { mrr: 9 },
        { headers: { [header]: value } },
      );
      expect([header, value, ...codeOf(reply), reply.body.errors[0].header]).toEqual([
        header,
        value,
        400,
        "invalid_request",
        header,
      ]);
      expect(reply.body.errors[0].detail).toContain('must be "*"');
    }
  expect(await tagOf("/api/v1/accounts/1")).toBe(before);
});

test.each(resourceCases)(
  "with If-None-Match: * a PUT creates a $noun and updates none",
  async ({ path, external, body }) => {
    const { call } = await resourceWorld();
    const headers = { "if-none-match": "*" };
    const other = external.replace("/x", "/y");
    const before = await call("GET", path);
    expect(codeOf(await call("PUT", external, { ...body, name: "No", title: "No" }, { headers }))).toEqual(
      failed,
    );
    expect((await call("GET", path)).text).toBe(before.text);
    expect((await call("PUT", other, { ...body, accountId: 1 }, { headers })).status).toBe(201);
    const again = await call("PUT", other, { ...body, accountId: 1 }, { headers });
    expect(codeOf(again)).toEqual(failed);
    expect(again.body.detail).toContain("without If-None-Match");
  },
);

test.each(resourceCases)(
  "with If-Match a PUT creates no $noun; PATCH and DELETE of none are 404",
  async ({ path, external, body, change }) => {
    const { call } = await resourceWorld();
    const other = external.replace("/x", "/y");
    for (const value of ["*", '"1.xxxxxxxxxxxxx1"'])
      expect(
        codeOf(await call("PUT", other, { ...body, accountId: 1 }, { headers: { "if-match": value } })),
      ).toEqual(failed);
    expect((await call("GET", other)).status).toBe(404);
    const missing = path.replace("/1", "/999");
    for (const headers of [
      { "if-match": "*" },
      { "if-match": '"1.xxxxxxxxxxxxx1"' },
      { "if-none-match": "*" },
    ]) {
      expect((await call("PATCH", missing, change, { headers })).status).toBe(404);
      expect((await call("DELETE", missing, undefined, { headers })).status).toBe(404);
      expect((await call("DELETE", other, undefined, { headers })).status).toBe(404);
    }
  },
);

test("another organization's row is 404 with any precondition, and a PUT of its externalId creates", async () => {
  const { call, second, tagOf } = await resourceWorld();
  const tag = await tagOf("/api/v1/accounts/1");
  for (const headers of [
    { "if-match": tag },
    { "if-match": '"9.xxxxxxxxxxxxx1"' },
    { "if-none-match": "*" },
  ]) {
    const options = { key: second.key, headers };
    for (const [method, body] of [
      ["PATCH", { mrr: 9 }],
      ["DELETE", undefined],
    ] as const) {
      const foreign = await call(method, "/api/v1/accounts/1", body, options);
      const missing = await call(method, "/api/v1/accounts/999", body, options);
      expect([foreign.status, foreign.text]).toEqual([404, missing.text]);
    }
  }
  const put = (headers: Record<string, string>) =>
    call("PUT", "/api/v1/accounts/external/x", { name: "Theirs" }, { key: second.key, headers });
  expect(codeOf(await put({ "if-match": tag }))).toEqual(failed);
  expect((await put({ "if-none-match": "*" })).status).toBe(201);
  expect(await tagOf("/api/v1/accounts/1")).toBe(tag);
});

test("of writes that are sent at once with the same tag one succeeds", async () => {
  const { call, tagOf } = await resourceWorld();
  for (let round = 0; round < 5; round += 1) {
    const headers = { "if-match": await tagOf("/api/v1/accounts/1") };
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        call("PATCH", "/api/v1/accounts/1", { mrr: 100 * round + i + 1 }, { headers }),
      ),
    );
    const winners = replies.filter(({ status }) => status === 200);
    expect(replies.filter(({ status }) => status === 412)).toHaveLength(19);
    expect((await call("GET", "/api/v1/accounts/1")).body.data.mrr).toBe(winners[0]?.body.data.mrr);
    expect(versionIn(await tagOf("/api/v1/accounts/1"))).toBe(round + 2);
  }
});

test("of creates that are sent at once with If-None-Match: * one succeeds", async () => {
  const { call } = await resourceWorld();
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      call("PUT", "/api/v1/accounts/external/new", { name: `n${i}` }, { headers: { "if-none-match": "*" } }),
    ),
  );
  const statuses = replies.map(({ status }) => status).toSorted();
  expect(statuses).toEqual([201, ...Array.from({ length: 19 }, () => 412)]);
  const winner = replies.find(({ status }) => status === 201);
  expect((await call("GET", "/api/v1/accounts/external/new")).body.data.name).toBe(winner?.body.data.name);
});

test.each(resourceCases)(
  "If-Match does not match a $noun that has the externalId of a deleted one, with the same version",
  async ({ path, external, body }) => {
    const { call, tagOf } = await resourceWorld();
    const headers = { "if-match": await tagOf(external) };
    await call("DELETE", path);
    const put = { ...body, ...(path.includes("/accounts/") ? {} : { accountId: 1 }) };
    expect(versionIn((await call("PUT", external, put)).headers.get("etag"))).toBe(1);
    const before = await call("GET", external);
    expect(codeOf(await call("PUT", external, { name: "No", title: "No" }, { headers }))).toEqual(failed);
    expect(codeOf(await call("DELETE", external, undefined, { headers }))).toEqual(failed);
    expect((await call("GET", external)).text).toBe(before.text);
    const current = { "if-match": await tagOf(external) };
    expect((await call("DELETE", external, undefined, { headers: current })).status).toBe(204);
  },
);

test("If-Match does not match the account that took the externalId of another one", async () => {
  const { call, account, tagOf } = await resourceWorld();
  const external = "/api/v1/accounts/external/x";
  const other = await account({ name: "Other" });
  const headers = { "if-match": await tagOf("/api/v1/accounts/1") };
  await call("PATCH", "/api/v1/accounts/1", { externalId: null });
  await call("PATCH", `/api/v1/accounts/${other.id}`, { externalId: "x" });
  const moved = { "if-match": (await tagOf(external)).replace(`${other.id}"`, '1"') };
  for (const tags of [headers, moved])
    expect(codeOf(await call("PUT", external, { name: "No" }, { headers: tags }))).toEqual(failed);
  expect((await call("GET", external)).body.data.name).toBe("Other");
});
