import { expect, test } from "bun:test";
import { describeApp } from "../../src/app.ts";
import { world } from "../support/world.ts";

async function accountsWorld() {
  const here = await world();
  await here.account({ name: "Acme", externalId: "a,1", mrr: 5, attributes: { plan: "pro", seats: 3 } });
  await here.account({
    name: "Beta",
    externalId: "b",
    mrr: 50,
    status: "churned",
    attributes: { plan: "team" },
  });
  await here.account({ name: "Core", externalId: "c", mrr: 7, status: "onboarding" });
  const names = async (query: string) => {
    const { status, body } = await here.call("GET", `/api/v1/accounts?${query}`);
    return status === 200 ? body.data.map(({ name }: { name: string }) => name).join() : status;
  };
  return { ...here, names };
}

test.each([
  ["mrr.gte=6&mrr.lt=50", ["mrr[gte]=6&mrr[lt]=50", "mrr%5Bgte%5D=6&mrr.lt=50"]],
  [
    "status=active,churned",
    [
      "status=active&status=churned",
      "status[]=active&status[]=churned",
      "status[0]=active&status[1]=churned",
      "status%5B%5D=active&status=churned",
    ],
  ],
  ["mrr.in=5,7", ["mrr[in]=5,7", "mrr.in=5&mrr.in=7", "mrr[in]=5&mrr.in=7", "mrr[in][]=5&mrr[in][]=7"]],
  ["externalId.in=a%5C,1,b", ["externalId[in]=a%5C%2C1&externalId[in]=b"]],
  ["attributes.plan=pro", ["attributes[plan]=pro", "attributes%5Bplan%5D=pro"]],
  [
    "attributes.seats.gte=3",
    ["attributes.seats[gte]=3", "attributes[seats][gte]=3", "attributes[seats.gte]=3"],
  ],
  [
    "attributes.plan.in=pro,team",
    ["attributes[plan][in]=pro,team", "attributes.plan.in=pro&attributes.plan[in]=team"],
  ],
])("%s finds the same rows in every spelling", async (query, others) => {
  const { names } = await accountsWorld();
  const found = await names(query);
  expect(found).toBeString();
  expect(found).not.toBe("Acme,Beta,Core");
  for (const other of others) expect([other, await names(other)]).toEqual([other, found]);
});

test("a list of members may be repeated too, and an empty query and one with escapes stay as they are", async () => {
  const { call, names } = await accountsWorld();
  for (const query of [
    "include=status,attributes",
    "include=status&include=attributes",
    "include[]=status&include[]=attributes",
  ]) {
    const { body } = await call("GET", `/api/v1/accounts?mrr[gte]=50&${query}`);
    expect(body.data).toMatchObject([{ status: "churned", attributes: { plan: "team" } }]);
  }
  expect(await names("search=a%26b%3D%2B&status[]=active")).toBe("");
  expect(await names("search=%C3%89&mrr[gte]=0")).toBe("");
  expect(await names("&&status[]=active&")).toBe("Acme");
});

test("pages by cursor and links are of the same list in every spelling", async () => {
  const { call } = await accountsWorld();
  const first = await call("GET", "/api/v1/accounts?mrr[gte]=6&pageSize=1&cursor=");
  const next = encodeURIComponent(first.body.pagination.nextCursor);
  const second = await call("GET", `/api/v1/accounts?mrr.gte=6&pageSize=1&cursor=${next}`);
  expect([first, second].map(({ body }) => body.data[0].name)).toEqual(["Beta", "Core"]);
  const { headers } = await call("GET", "/api/v1/accounts?status[]=active&status[]=churned&pageSize=1");
  const [, link = ""] = /<([^>]+)>; rel="next"/.exec(headers.get("link") ?? "") ?? [];
  expect((await call("GET", link)).body.data).toMatchObject([{ name: "Beta" }]);
});

test("a backslash at the end of a repeated value does not join it with the next one", async () => {
  const here = await accountsWorld();
  await here.account({ name: "Dash", externalId: "d\\" });
  for (const first of ["d%5C", "d%5C%5C"])
    for (const name of ["externalId.in", "externalId[in]", "externalId[in][]"])
      expect(await here.names(`${name}=${first}&${name}=b`)).toBe("Beta,Dash");
  expect(await here.names("externalId.in=c&externalId.in=a%5C,1&externalId.in=b")).toBe("Acme,Beta,Core");
});

test("a filter by an attribute with the name in is no list", async () => {
  const here = await accountsWorld();
  for (const name of ["a", "b"]) await here.account({ name, attributes: { in: name } });
  expect(await here.names("attributes.in.in=a&attributes.in.in=b")).toBe("a,b");
  const { status, body } = await here.call("GET", "/api/v1/accounts?attributes.in=a&attributes.in=b");
  expect([status, body.errors]).toMatchObject([400, [{ parameter: "attributes.in", code: "repeated" }]]);
});

test.each([
  "mrr[]=5",
  "mrr[gte][]=5",
  "status[x]=active",
  "status[][]=active",
  "[status]=active",
  "attributes[a-b]=1",
])("%s is an unknown parameter", async (query) => {
  const { call } = await accountsWorld();
  const { status, body } = await call("GET", `/api/v1/accounts?${query}`);
  expect([status, body.code]).toEqual([400, "unknown_parameter"]);
});

test("the names of all query parameters of the document can be keys of tools", async () => {
  const document = JSON.stringify(await describeApp());
  const { components, paths } = JSON.parse(document);
  const ofPaths = Object.values<object>(paths).flatMap((path) =>
    Object.values(path).flatMap(({ parameters = [] }: { parameters?: { name?: string }[] }) => parameters),
  );
  const names = [...Object.values<{ name: string }>(components.parameters), ...ofPaths].flatMap(
    ({ name }) => name ?? [],
  );
  expect(names).toContain("mrr.gte");
  expect(names.filter((name) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(name))).toEqual([]);
});
