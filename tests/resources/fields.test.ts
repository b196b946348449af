import { expect, test } from "bun:test";
import { resourceCases, resourceWorld } from "./resource-rows.ts";

test.each(resourceCases)(
  "fields selects members of every reply of a $noun; id is always there",
  async ({ noun, path, external, list, body, change }) => {
    const { call } = await resourceWorld();
    const lists = noun === "request" ? [list, "/api/v1/requests"] : [list];
    const whole = (await call("GET", path)).body.data;
    const rows = (await call("GET", list)).body.data;
    for (const name of Object.keys(rows[0])) {
      const expected = { id: 1, [name]: whole[name] };
      for (const address of [path, external])
        expect((await call("GET", `${address}?fields=${name}`)).body).toEqual({ data: expected });
      for (const address of lists) {
        const { data, pagination } = (await call("GET", `${address}?fields=${name}`)).body;
        expect([data, pagination.total]).toEqual([[expected], 1]);
      }
    }
    const writes = [
      await call("PATCH", `${path}?fields=createdAt`, change),
      await call("PUT", `${external}?fields=createdAt`, change),
      await call("PUT", `${external.replace("/x", "/y")}?fields=createdAt`, { ...body, accountId: 1 }),
      await call("POST", `${list}?fields=createdAt`, body),
    ];
    const { createdAt } = whole;
    expect(writes.map(({ status, body }) => [status, body.data])).toEqual([
      [200, { id: 1, createdAt }],
      [200, { id: 1, createdAt }],
      [201, { id: 2, createdAt }],
      [201, { id: 3, createdAt }],
    ]);
    expect((await call("GET", `${path}?fields=updatedAt,id,updatedAt`)).body.data).toEqual({
      id: 1,
      updatedAt: (await call("GET", path)).body.data.updatedAt,
    });
  },
);

test.each(resourceCases)(
  "a name that a $noun does not have is 400 with the valid names",
  async ({ path, external, list, body, change }) => {
    const { call } = await resourceWorld();
    const before = (await call("GET", path)).text;
    const requests = [
      ["GET", path],
      ["GET", external],
      ["GET", list],
      ["POST", list, body],
      ["PATCH", path, change],
      ["PUT", external, change],
    ] as const;
    for (const [method, address, sent] of requests)
      for (const [fields, detail] of [
        ["creatdAt", "Unknown field: did you mean `createdAt`?"],
        ["id,updated_at", "Unknown field: did you mean `updatedAt`?"],
        ["createdat,upDatedAt", "2 unknown fields: did you mean `createdAt`, `updatedAt`?"],
        ...[
          "",
          ",",
          "id,",
          "createdAt%20",
          "version",
          "organizationId",
          "__proto__",
          "constructor",
          "toString",
          "*",
        ].map((name) => [name, expect.stringMatching(/^\d* ?[Uu]nknown fields?[.:].* `/)] as const),
      ] as const) {
        const reply = await call(method, `${address}?fields=${fields}`, sent);
        expect([method, fields, reply.status, reply.body.code, reply.body.errors]).toEqual([
          method,
          fields,
          400,
          "invalid_request",
          [{ parameter: "fields", code: "not_allowed", detail }],
        ]);
      }
    expect((await call("GET", path)).text).toBe(before);
    expect((await call("GET", list)).body.pagination.total).toBe(1);
  },
);

test("thousands of names are 400; a delete has no such parameters", async () => {
  const { call } = await resourceWorld();
  const path = "/api/v1/accounts/1";
  for (const name of ["fields", "include"]) {
    const valid = name === "fields" ? "name" : "status";
    expect((await call("GET", `${path}?${name}=${"x,".repeat(4_000)}`)).status).toBe(400);
    expect((await call("GET", `${path}?${name}=${`${valid},`.repeat(1_000)}${valid}`)).status).toBe(200);
    expect((await call("GET", `${path}?${name}=${valid}%00`)).status).toBe(400);
    expect((await call("DELETE", `${path}?${name}=${valid}`)).body.code).toBe("unknown_parameter");
  }
});

test("the tag of a reply with fields has the version of the row", async () => {
  const { call } = await resourceWorld();
  const { headers } = await call("GET", "/api/v1/contacts/1?fields=name");
  const [tag, whole] = [
    headers.get("etag") ?? "",
    (await call("GET", "/api/v1/contacts/1")).headers.get("etag"),
  ];
  expect([tag.split(".")[0], tag === whole]).toEqual(['"1', false]);
  const options = { headers: { "if-none-match": tag } };
  expect((await call("GET", "/api/v1/contacts/1?fields=name", undefined, options)).status).toBe(304);
  expect((await call("GET", "/api/v1/contacts/1", undefined, options)).status).toBe(200);
});
