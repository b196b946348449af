import { expect, test } from "bun:test";
import { world } from "../support/world.ts";

const invalid = (parameter: string, code: string) => ({
  status: 400,
  body: { code: "invalid_request", errors: [{ parameter, code }] },
});

async function at(query: Record<string, string> | string, path = "/api/v1/accounts") {
  const { call } = await world();
  return call("GET", `${path}?${typeof query === "string" ? query : new URLSearchParams(query)}`);
}

test("a filter value of another type is 400 with the name of the parameter", async () => {
  const { call } = await world();
  const texts = [
    "",
    " ",
    "x",
    "true",
    "null",
    "NaN",
    "Infinity",
    "1e999",
    "0x1",
    "01",
    "1,5",
    "+1",
    " 1",
    "1_0",
  ];
  const times = ["", "x", "1", "now", "2026-13-01", "2026-02-30", "20260101", "2026-01-01T25:00", "none"];
  const cases: [path: string, name: string, values: string[], code: string][] = [
    ["/api/v1/accounts", "mrr", [...texts, "none"], "wrong_type"],
    ["/api/v1/accounts", "mrr[gt]", texts, "wrong_type"],
    ["/api/v1/accounts", "mrr[in]", ["1,", ",1", "1,x", "1, 2", "1\\,2"], "wrong_type"],
    ["/api/v1/accounts", "updatedAt[lt]", times, "invalid_timestamp"],
    ["/api/v1/accounts", "createdAt", times, "invalid_timestamp"],
    ["/api/v1/accounts", "createdAt[in]", ["2026-01-01,", "2026-01-01,x"], "invalid_timestamp"],
    [
      "/api/v1/accounts",
      "status",
      ["", "active,", "active,Active", "none", "active, churned"],
      "not_allowed",
    ],
    ["/api/v1/accounts", "tier", ["", "Healthy", "none,", "unscored"], "not_allowed"],
    ["/api/v1/accounts", "hasExternalId", ["", "1", "True", "yes", "none"], "wrong_type"],
    ["/api/v1/accounts", "externalId[in]", ["", "a,", ",a"], "too_short"],
    ["/api/v1/accounts", "externalId[in]", ["x".repeat(256)], "too_long"],
    ["/api/v1/accounts", "externalId[in]", [Array(101).fill("x").join(",")], "too_many"],
    ["/api/v1/accounts", "mrr[in]", [Array(101).fill("1").join(",")], "too_many"],
    ["/api/v1/requests", "severity", ["1.5", "x", "1e-1"], "wrong_type"],
    ["/api/v1/requests", "severity[gte]", ["9007199254740992"], "out_of_range"],
    ["/api/v1/requests", "resolvedAt[gt]", ["none"], "invalid_timestamp"],
  ];
  for (const [path, name, values, code] of cases)
    for (const value of values) {
      const reply = await call("GET", `${path}?${new URLSearchParams({ [name]: value })}`);
      expect([name, value, reply]).toMatchObject([name, value, invalid(name, code)]);
      if (value.length > 20) expect(reply.text).not.toContain(value);
    }
});

test("an unknown operator or filter is 400 with the nearest valid name", async () => {
  for (const [name, nearest] of [
    ["mrr[gtt]", "mrr.gt"],
    ["mrr[ne]", "mrr.lte"],
    ["updatedat[gt]", "updatedAt.gt"],
    ["hasExternalID", "hasExternalId"],
    ["externalId[ins]", "externalId.in"],
    ["mrr.gtt", "mrr.gt"],
  ] as const) {
    const { status, body } = await at({ [name]: "1" });
    expect([name, status, body.code]).toEqual([name, 400, "unknown_parameter"]);
    if (name !== "mrr[ne]") expect(body.detail).toContain(`did you mean \`${nearest}\`?`);
  }
  for (const name of [
    "mrr[]",
    "mrr[gt][lt]",
    "mrr[__proto__]",
    "mrr.gt.lt",
    "__proto__[gt]",
    "__proto__.gt",
    "name[gt]",
    "id[gt]",
  ])
    expect([name, await at({ [name]: "1" })]).toMatchObject([
      name,
      { status: 400, body: { code: "unknown_parameter" } },
    ]);
});

test("a filter that is no list and is sent twice, also in another spelling, is 400 with what to do", async () => {
  const valuesOf = (list: string) => `must be given once: ${list} takes several values, separated by commas`;
  for (const [query, parameter, detail] of [
    ["mrr[gt]=1&mrr[gt]=2", "mrr[gt]", "must be given once"],
    ["mrr[gt]=1&mrr%5Bgt%5D=2", "mrr[gt]", "must be given once"],
    ["mrr[gt]=1&mrr.gt=1", "mrr.gt", "must be given once"],
    ["mrr=1&mrr=2", "mrr", valuesOf("mrr.in")],
    ["externalId=1&externalId=2", "externalId", valuesOf("externalId.in")],
  ] as const)
    expect([query, await at(query)]).toMatchObject([
      query,
      { status: 400, body: { errors: [{ parameter, code: "repeated", detail }] } },
    ]);
});

test("control characters, quotes and SQL in a list match literally", async () => {
  const { account, call } = await world();
  const ids = ["' OR 1=1 --", '"];', "a\u0001b", "__proto__", "none", "[]", "\\", "a\\b", "null", "é😀"];
  for (const externalId of ids) await account({ name: "Acme", externalId });
  for (const externalId of ids) {
    const listed = externalId.replace(/[\\,]/g, "\\$&");
    const { body } = await call(
      "GET",
      `/api/v1/accounts?${new URLSearchParams({ "externalId[in]": listed })}`,
    );
    expect([externalId, body.data.map((row: { externalId: string }) => row.externalId)]).toEqual([
      externalId,
      [externalId],
    ]);
  }
  const all = ids.map((id) => id.replace(/[\\,]/g, "\\$&")).join(",");
  const query = new URLSearchParams({ "externalId[in]": all, pageSize: "100" });
  expect((await call("GET", `/api/v1/accounts?${query}`)).body.pagination.total).toBe(ids.length);
});
