import { expect, test } from "bun:test";
import { UsageError } from "../../src/core/settings/operator-error.ts";
import { importWorld, nothing } from "./import-world.ts";

test("A column of the map is what the map says, although it has the name of a field", async () => {
  const { importBytes, account, call } = await importWorld();
  const accounts = "id,company,status\ns1,Acme,past_due\ns2,Beta,trialing\ns3,Gamma,active\n";
  const map = "id=externalId,company=name,status=attributes.subscription";
  const { counts, ignored, unfilled } = await importBytes(accounts, { map });
  expect([counts, ignored, unfilled]).toEqual([{ ...nothing, lines: 3, created: 3 }, [], ["status"]]);
  const { data } = (await call("GET", "/api/v1/accounts/external/s1?include=attributes,status")).body;
  expect(data).toMatchObject({ status: "active", attributes: { subscription: "past_due" } });
  await account({ name: "Acme", externalId: "A-1" });
  const contacts = await importBytes("contactId,accountId,name\nc1,A-1,Ada\n", {
    resource: "contacts",
    map: "contactId=externalId,accountId=accountExternalId",
  });
  expect(contacts.counts).toEqual({ ...nothing, lines: 1, created: 1 });
  const requests = await importBytes("externalId,accountExternalId,title,severity\nt,A-1,SSO,S2\n", {
    resource: "requests",
    map: "severity=",
  });
  expect([requests.counts.created, requests.ignored, requests.unfilled]).toEqual([1, ["severity"], []]);
});

test("A member of JSON lines is what the map says, although it has the name of a field", async () => {
  const { importBytes, account, call } = await importWorld();
  const name = "file.jsonl";
  const { counts, ignored, unfilled } = await importBytes(
    '{"id":"s1","name":"Acme","status":"past_due","mrr":"many","Logo":1}\n',
    { name, map: "ID=externalId,STATUS=attributes.subscription,mrr=" },
  );
  expect([counts, ignored, unfilled]).toEqual([
    { ...nothing, lines: 1, created: 1 },
    ["mrr", "Logo"],
    ["status"],
  ]);
  const { data } = (await call("GET", "/api/v1/accounts/external/s1?include=attributes,status")).body;
  expect(data).toMatchObject({ status: "active", attributes: { subscription: "past_due" } });
  await account({ name: "Acme", externalId: "A-1" });
  const contacts = await importBytes('{"contactId":"c1","accountId":"A-1","name":"Ada"}\n', {
    ...{ name, resource: "contacts" },
    map: "contactId=externalId,accountId=accountExternalId",
  });
  expect(contacts.counts.created).toBe(1);
  const twice = await importBytes('{"ID":"a","id":"b","name":"A"}\n', { name, map: "Id=externalId" });
  expect(twice.reasons).toEqual([[1, "the fields ID and id differ in case only"]]);
  await expect(importBytes("{}\n", { name, map: "#1=externalId" })).rejects.toThrow(
    "JSON lines have no column #1",
  );
});

test("A column is left out by COLUMN=, and not both left out and imported", async () => {
  const { importBytes } = await importWorld();
  const csv = "externalId,name,status\na,A,past_due\n";
  const { counts, ignored } = await importBytes(csv, { map: "status=" });
  expect([counts.created, ignored]).toEqual([1, ["status"]]);
  await expect(importBytes(csv, { map: "status=,status=attributes.s" })).rejects.toThrow(
    "--map leaves out the column status and imports it.",
  );
});

test("A column without a name is listed by its position, and can be mapped by it", async () => {
  const { importBytes, names } = await importWorld();
  const csv = "externalId,name,,\na1,Acme,lost,lost too\n";
  expect((await importBytes(csv)).ignored).toEqual(["#3", "#4"]);
  const { ignored } = await importBytes(csv, { map: "#3=name" });
  expect([ignored, [...(await names())]]).toEqual([["name", "#4"], [["a1", "lost"]]]);
  await importBytes(",name,mrr\n0,Zero,5\n", { map: "#1=externalId" });
  expect((await names()).get("0")).toBe("Zero");
  await expect(importBytes(csv, { map: "#5=name" })).rejects.toThrow(
    "The file has no column #5: it has 4 columns.",
  );
  await expect(importBytes("#2,name\n1,2\n", { map: "#2=externalId" })).rejects.toThrow(
    "The column #1 has the name #2.",
  );
});

test("Names of columns and fields match exactly first, then without case; names of attributes exactly", async () => {
  const { importBytes, call } = await importWorld();
  const { counts } = await importBytes("SYMBOL,Company,Plan\na,A,pro\n", {
    map: "symbol=externalid,company=NAME,plan=attributes.Plan",
  });
  expect(counts.created).toBe(1);
  await importBytes("externalId,Plan,plan\na,x,y\n", { map: "plan=attributes.plan" });
  const { data } = (await call("GET", "/api/v1/accounts/external/a?include=attributes")).body;
  expect(data.attributes).toEqual({ Plan: "x", plan: "y" });
  const twice = "externalId,Name,NAME,Plan,PLAN\na,A,B,C,D\n";
  await expect(importBytes(twice)).rejects.toThrow(
    'The columns Name and NAME could both be name. Choose one: --map "#2=name".',
  );
  await expect(importBytes(twice, { map: "#2=name,plan=attributes.plan" })).rejects.toThrow(
    "The columns Plan and PLAN differ in case only. Write the position: #4 or #5.",
  );
  await expect(importBytes("externalId,Plan,Plan\na,A,B\n", { map: "Plan=name" })).rejects.toThrow(
    "The file has the column Plan twice. Write its position: #2 or #3.",
  );
});

test.each(["Email", "email", "E-mail"])(
  "The column %s is only the externalId that the map says, and email is named as not filled",
  async (column) => {
    const { importBytes, account, call } = await importWorld();
    await account({ name: "Acme", externalId: "A-1" });
    const csv = `${column},Name,Account External Id\nada@acme.example,Ada,A-1\n`;
    const resource = "contacts";
    const once = await importBytes(csv, { resource, map: `${column}=externalId` });
    expect([once.counts.created, once.unfilled]).toEqual([1, ["email"]]);
    const read = async () => (await call("GET", "/api/v1/contacts/external/ada@acme.example")).body.data;
    expect((await read()).email).toBeNull();
    const both = await importBytes(csv, { resource, map: `${column}=externalId,${column}=email` });
    expect([both.counts.updated, both.unfilled]).toEqual([1, []]);
    expect((await read()).email).toBe("ada@acme.example");
  },
);

test("account_id of another system is the external id of the account, and never the id of accountd", async () => {
  const { importBytes, call } = await importWorld();
  const accounts = "account_id,name\n3,Cobalt\n1,Alder\n2,Birch\n";
  await importBytes(accounts, { map: "account_id=externalId" });
  const people = ["c-1,1,Ann of Alder", "c-2,2,Ben of Birch", "c-3,3,Cid of Cobalt"].join("\n");
  for (const column of ["account_id", "Account ID", "AccountId", "accountId"]) {
    const { counts } = await importBytes(`contact_id,${column},name\n${people}\n`, {
      resource: "contacts",
      map: "contact_id=externalId",
    });
    expect([column, counts.rejected]).toEqual([column, 0]);
    const { data } = (await call("GET", "/api/v1/contacts?sortBy=createdAt")).body;
    for (const { accountId, name } of data) {
      const account = (await call("GET", `/api/v1/accounts/${accountId}`)).body.data;
      expect(name).toEndWith(` of ${account.name}`);
    }
  }
});

test("A row whose account is not found by account_id names both ways to refer to an account", async () => {
  const { importBytes, account } = await importWorld();
  const { id } = await account({ name: "Acme", externalId: "A-1" });
  const reason =
    'There is no account with this externalId in your organization: account_id is read as accountExternalId. For the id that accountd assigned, add --map "account_id=accountId"';
  const settings = { resource: "contacts" } as const;
  const csv = `externalId,account_id,name\nc,${id},Ada\n`;
  expect((await importBytes(csv, settings)).reasons).toEqual([[2, reason]]);
  const mapped = await importBytes(csv, { ...settings, map: "account_id=accountId" });
  expect(mapped.counts.created).toBe(1);
  const text = await importBytes("externalId,account_id,name\nd,A-1,Ada\n", {
    ...settings,
    map: "account_id=accountId",
  });
  expect(text.reasons).toEqual([
    [
      2,
      "accountId must be a number, the id that accountd assigned: your own ids of accounts are accountExternalId",
    ],
  ]);
  const line = await importBytes(`{"externalId":"e","accountId":${id},"name":"Eve"}\n`, {
    ...settings,
    name: "a.jsonl",
  });
  expect(line.reasons).toEqual([
    [
      1,
      'accountExternalId must be a string: accountId is read as accountExternalId. For the id that accountd assigned, add --map "accountId=accountId"',
    ],
  ]);
});

test("The reason for several ids of accounts in a cell says so", async () => {
  const { importBytes } = await importWorld();
  const csv = "Record ID,Email,Associated Company IDs\n1,a@b.example,1;2\n";
  const { reasons } = await importBytes(csv, { resource: "contacts" });
  expect(reasons).toEqual([
    [
      2,
      "There is no account with this externalId in your organization: Associated Company IDs has several ids, keep the one of the account",
    ],
  ]);
});

test("The accountId of an export is the id of accountd, next to accountExternalId", async () => {
  const { importBytes, account } = await importWorld();
  const { id } = await account({ name: "Acme" });
  const csv = `externalId,accountId,accountExternalId,name\nc,${id},,Ada\n`;
  expect((await importBytes(csv, { resource: "contacts" })).counts.created).toBe(1);
});

test("The error without an externalId names the line sep=", async () => {
  const { importBytes } = await importWorld();
  await expect(importBytes("externalId:name\na:A\n")).rejects.toThrow("in a first line such as sep=:");
  await expect(importBytes("externalId:name\na:A\n")).rejects.toBeInstanceOf(UsageError);
});
