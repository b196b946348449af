import { expect, test } from "bun:test";
import { world } from "../support/world.ts";

const accounts = "/api/v1/accounts";

async function detailOf(query: string): Promise<string> {
  const { call } = await world();
  const { status, body } = await call("GET", `${accounts}?${query}`);
  expect([query, status]).toEqual([query, 400]);
  return body.errors?.[0].detail ?? body.detail;
}

test("an operator that a field does not have is answered by the names of this field", async () => {
  const all = ["", ".gt", ".gte", ".lt", ".lte", ".in"].map((end) => `\`contactActivityAt${end}\``);
  for (const operator of ["before", "", "ne"])
    expect(await detailOf(`contactActivityAt[${operator}]=2026-01-02`)).toBe(
      `Unknown query parameter: did you mean ${all.join(", ")}?`,
    );
  expect(await detailOf("contactActivityAt[LT]=2026-01-02")).toBe(
    "Unknown query parameter: did you mean `contactActivityAt.lt`?",
  );
  expect(await detailOf("status[in]=active")).toBe("Unknown query parameter: did you mean `status`?");
});

test("the list of all parameters names each field once, and its operators", async () => {
  const detail = await detailOf("lastSeenAt[lt]=2026-01-02");
  const [, names = "", operators = ""] =
    /^Unknown query parameter\. The valid names are (.*)\. Operators: (.*)\. Custom attributes are filtered as `attributes\.NAME`, such as `attributes\.plan=pro`\.$/.exec(
      detail,
    ) ?? [];
  expect(names.split(", ")).toContain("`contactActivityAt`");
  expect(new Set(names.split(", ")).size).toBe(names.split(", ").length);
  expect(names).not.toContain("[");
  expect(operators.split("; ").toSorted()).toEqual([
    "`.gt`, `.gte`, `.lt`, `.lte`, `.in` after `mrr`, `contactActivityAt`, `createdAt`, `updatedAt`, `healthScore`",
    "`.gt`, `.gte`, `.lt`, `.lte`, `.in`, `.contains`, `.ieq` after `attributes.NAME`",
    "`.in` after `externalId`, `id`",
  ]);
});

test("the detail of an invalid timestamp has an example, `none` where it is valid, and how to write +", async () => {
  const plain =
    "must be an RFC 3339 date-time such as 2026-01-02T03:04:05Z, a date such as 2026-01-02, or a day such as today, 7d (in 7 days) or -30d (30 days ago)";
  expect(await detailOf("contactActivityAt[gt]=20260102")).toBe(plain);
  expect(await detailOf("contactActivityAt[lt]=none")).toBe(plain);
  expect(await detailOf("contactActivityAt=null")).toBe(`${plain}, or none`);
  expect(await detailOf("updatedAt[gt]=2026-01-02T03:04:05+01:00")).toBe(`${plain}; write + as %2B in a URL`);
});

test("the closest member of `contact` is `contacts`, not a longer one that begins so", async () => {
  const { call } = await world();
  const body = { accounts: [{ externalId: "acme", name: "Acme", contact: [] }] };
  const reply = await call("POST", `${accounts}/batch`, body, { headers: { prefer: "handling=strict" } });
  expect(reply.body.data.results[0].problem.detail).toBe("Unknown field: did you mean `contacts`?");
});

test("an unknown member within a batch has a pointer to its object", async () => {
  const { call } = await world();
  const headers = { prefer: "handling=strict" };
  const acme = { externalId: "acme", name: "Acme" };
  const contacts = [{ email: "ada@example.com", name: "Ada" }, { emial: "grace@example.com" }];
  const upsert = { accounts: [acme, { ...acme, contacts }, { ...acme, nmae: "Acme" }] };
  const { results } = (await call("POST", `${accounts}/batch`, upsert, { headers })).body.data;
  const unknown = (pointer: string, name: string) => ({
    code: "unknown_member",
    errors: [{ pointer, code: "unknown_member", detail: `Unknown field: did you mean \`${name}\`?` }],
  });
  expect(results).toMatchObject([
    { result: "created" },
    { result: "failed", problem: unknown("/accounts/1/contacts/1", "email") },
    { result: "failed", problem: unknown("/accounts/2", "name") },
  ]);

  const operations = [{ method: "POST", path: accounts, body: { nmae: "Acme" } }];
  for (const [mode, read] of [
    ["partial", ({ data }: Body) => data.results[0]?.body],
    ["atomic", (body: Body) => body],
  ] as const) {
    const { body } = await call("POST", "/api/v1/batch", { mode, operations }, { headers });
    const { errors } = unknown("/operations/0/body", "name");
    expect([mode, read(body)]).toMatchObject([mode, { errors }]);
  }
});

type Body = { data: { results: { body: object }[] } };

test("an operation of a batch with a wrong method or path is answered by the right ones", async () => {
  const { call } = await world();
  const operations = [
    { method: "POST", path: `${accounts}/1`, body: { name: "Acme" } },
    { method: "PUT", path: "/accounts/external/acme", body: { name: "Acme" } },
    { method: "POST", path: "/api/v1/events", body: { event: "login" } },
  ];
  const { body } = await call("POST", "/api/v1/batch", { mode: "partial", operations });
  const noOperation =
    "No operation of a batch has this path. The paths are those of accounts, contacts, meetings and requests, such as /api/v1/accounts/1.";
  expect(body.data.results.map(({ body }: { body: { detail: string } }) => body.detail)).toEqual([
    "Use one of DELETE, PATCH.",
    noOperation,
    noOperation,
  ]);
  const { body: problem } = await call("PUT", accounts, {});
  expect(problem.detail).toBe("Use one of GET, HEAD, POST.");
  const ofOne = await call("GET", "/api/v1/erasures");
  expect([ofOne.headers.get("allow"), ofOne.body.detail]).toEqual(["POST", "Use POST."]);
});

test("a limit of failed authentications is not described as one of requests", async () => {
  const { call } = await world({ limits: { authFailureLimit: 1, addressOf: () => "192.0.2.1" } });
  await call("GET", accounts, undefined, { key: "wrong" });
  const { status, body } = await call("GET", accounts, undefined, { key: "wrong" });
  expect([status, body.detail]).toEqual([
    429,
    "Too many requests from this address had no valid key. Send a valid key, or wait for the time in Retry-After.",
  ]);
});
