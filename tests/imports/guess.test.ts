import { expect, test } from "bun:test";
import {
  addAttributes,
  faultsOf,
  guessTargets,
  nameOfTarget,
} from "../../src/console/app/pages/import/mapping.ts";
import { tableOf } from "../../src/console/app/pages/import/table.ts";
import { readRecord } from "../../src/shared/imports/import-table.ts";
import { importWorld } from "./import-world.ts";

/** Invented twins of public files of accounts: a header, a row and the mapping. */
const files: [header: string, row: string, mapping: string[]][] = [
  ["Symbol,Security,Founded", "AC,Acme,1999", ["externalId", "name", ""]],
  ["Ticker,Company,Plan", "AC,Acme,pro", ["externalId", "name", "attributes.plan"]],
  ["Customer ID,Company,Email", "c1,Acme,a@b.example", ["externalId", "name", ""]],
  ["Id,Name,Status,MRR", "1,Acme,Active,5", ["externalId", "name", "status", "mrr"]],
  ["Symbol,Id,Name", "AC,7,Acme", ["externalId", "", "name"]],
  ["id,externalId,name,attributes.plan", "7,a,Acme,pro", ["", "externalId", "name", "attributes.plan"]],
  ["Id,Name,Logo", "1,Acme,https://acme.example/l.png", ["externalId", "name", "logoUrl"]],
  ["Id,Name,MRR (EUR)", "1,Acme,5", ["externalId", "name", "mrr"]],
  ["Id,Name,MRR (USD),MRR", "1,Acme,5,6", ["externalId", "name", "", "mrr"]],
  ["Id,Name,Logo", "1,Acme,yes", ["externalId", "name", ""]],
];

test.each(files)("%s is mapped alike by the command and the console", async (header, row, mapping) => {
  const { importBytes, call } = await importWorld();
  await call("PUT", "/api/v1/attributes/plan", { type: "string" });
  const names = header.split(",");
  const cells = row.split(",");
  const targets = guessTargets(names, { plan: "string" }, [cells]);
  expect(targets.map((target) => (target ? nameOfTarget(target) : ""))).toEqual(mapping);
  expect(faultsOf(names, targets, [cells])).toEqual([]);
  const imported = await importBytes(`${header}\n${row}\n`);
  expect(imported.counts.created).toBe(1);
  expect(imported.mapping.map((text) => text.replace(/ \(string\)$/, ""))).toEqual(
    names.map((name, i) => `${name}: ${mapping[i] || "not imported"}`),
  );
  // The row of the console is what the command has stored.
  const table = tableOf(
    { header: names, attributeTypes: { plan: "string" }, samples: [cells] },
    { targets, formats: {}, values: {} },
  );
  const line = readRecord(table, { line: 2, cells });
  if (!("row" in line)) throw new Error(line.fault);
  const { status, headers } = await call("PUT", `/api/v1/accounts/external/${line.row.externalId}`, line.row);
  expect([status, headers.get("location")]).toEqual([200, null]);
  const again = await importBytes(`${header}\n${row}\n`);
  expect(again.counts.unchanged).toBe(1);
});

test("First Name and Last Name are the name of a contact, and a column of addresses is its email", async () => {
  const { importBytes, account, call } = await importWorld();
  await account({ name: "Acme", externalId: "A-1" });
  const csv =
    "Record ID,First Name,Last Name,Reach,Account ID\n1,Ada,Byron,ada@acme.example,A-1\n2,,Cher,,A-1\n";
  const { counts, mapping } = await importBytes(csv, { resource: "contacts" });
  expect(counts.created).toBe(2);
  expect(mapping).toEqual([
    "Record ID: externalId",
    "First Name: firstName",
    "Last Name: lastName",
    "Reach: email",
    "Account ID: accountExternalId",
  ]);
  const contact = async (id: number) => (await call("GET", `/api/v1/contacts/external/${id}`)).body.data;
  expect(await contact(1)).toMatchObject({ name: "Ada Byron", email: "ada@acme.example" });
  expect((await contact(2)).name).toBe("Cher");
  const line = { externalId: "3", accountExternalId: "A-1", Vorname: "Eve", Nachname: "Noe", name: "E. Noe" };
  await importBytes(`${JSON.stringify(line)}\n`, {
    ...{ name: "a.jsonl", resource: "contacts", map: "Vorname=firstName,Nachname=lastName,name=" },
  });
  expect((await contact(3)).name).toBe("Eve Noe");
});

test("First Name and Last Name are not imported where the column of the name has no empty cell", async () => {
  const { importBytes, account } = await importWorld();
  await account({ name: "Acme", externalId: "A-1" });
  const header = "Id,First Name,Last Name,Full Name,Account ID\n";
  const partsOf = async (rows: string, map?: string) => {
    const { mapping, unfilled } = await importBytes(header + rows, {
      resource: "contacts",
      ...(map && { map }),
    });
    return [...mapping.slice(1, 4), ...unfilled];
  };
  const notImported = ["First Name: not imported", "Last Name: not imported"];
  expect(await partsOf("1,Ann,Lee,Ann M. Lee,A-1\n")).toEqual([...notImported, "Full Name: name"]);
  expect(await partsOf("1,Ann,Lee,Ann M. Lee,A-1\n2,Eve,Moe,,A-1\n")).toEqual([
    ...["First Name: firstName", "Last Name: lastName", "Full Name: name"],
  ]);
  expect(await partsOf("1,Ann,Lee,,A-1\n", "First Name=name")).toEqual([
    ...["First Name: name", "Last Name: not imported", "Full Name: not imported"],
  ]);
});

test("Without one part of a name, a stored contact keeps its name, unless empty cells clear", async () => {
  const { importBytes, account, call } = await importWorld();
  await account({ name: "Acme", externalId: "A-1" });
  const name = async () => (await call("GET", "/api/v1/contacts")).body.data[0].name;
  const csvOf = (first: string, last: string) =>
    `Id,First Name,Last Name,Account ID\n1,${first},${last},A-1\n`;
  const settings = { resource: "contacts" } as const;
  const results: unknown[] = [];
  for (const [first, last, empty] of [
    ["Ann", "", "keep"],
    ["Ann", "Lee", "keep"],
    ["Anna", "", "keep"],
    ["", "Moe", "keep"],
    ["", "", "clear"],
    ["Anna", "", "clear"],
  ] as const) {
    const { counts } = await importBytes(csvOf(first, last), { ...settings, options: { empty } });
    results.push([await name(), counts.created, counts.updated]);
  }
  expect(results).toEqual([
    ["Ann", 1, 0],
    ["Ann Lee", 0, 1],
    ["Ann Lee", 0, 0],
    ["Ann Lee", 0, 0],
    ["Ann Lee", 0, 0],
    ["Anna", 0, 1],
  ]);
  const lines = { ...settings, name: "a.jsonl", map: "f=firstName,l=lastName" };
  await importBytes('{"externalId":"1","f":"Ada","l":"Byron"}', lines);
  await importBytes('{"externalId":"1","f":"Eve"}', lines);
  expect(await name()).toBe("Ada Byron");
  await importBytes('{"externalId":"1","f":"Eve","l":null}', lines);
  expect(await name()).toBe("Eve");
});

test.each([
  ["contact_id,account_id,name,email", "c1,a1,Ada,a@b.example", "account_id", "email"],
  ["Id,Name,Company,Reach", "c1,Ada,Acme,a@b.example", "Company", "Reach"],
])("%s is proposed as contacts, unless accounts are chosen", async (header, row, account, address) => {
  const { importBytes } = await importWorld();
  const text = `The file looks like contacts: it has addresses in ${address} and accounts in ${account}.`;
  const csv = `${header}\n${row}\n`;
  await expect(importBytes(csv)).rejects.toThrow(`${text} Add --resource contacts`);
  const names = header.split(",");
  const targets = guessTargets(names, {}, [row.split(",")]);
  expect(targets[names.indexOf(account)]).toBeUndefined();
  expect(faultsOf(names, targets, [row.split(",")])[0]).toStartWith(text);
  const chosen = await importBytes("Account ID,Account Name,Email\na,A,a@b.example\n", {
    isResourceChosen: true,
  });
  expect(chosen.counts.created).toBe(1);
  const map = `${account}=externalId`;
  expect((await importBytes(csv, { map })).counts.created).toBe(1);
});

test("Without guesses, the columns of the map are imported only", async () => {
  const { importBytes } = await importWorld();
  const { counts, ignored } = await importBytes("Id,name,status\na,A,active\n", {
    ...{ map: "Id=externalId,name=name", isGuessed: false },
  });
  expect([counts.created, ignored]).toEqual([1, ["status"]]);
  await expect(importBytes("externalId,name\na,A\n", { isGuessed: false })).rejects.toThrow(
    "No column is imported as externalId.",
  );
});

test("Columns that are not imported become attributes in one step", () => {
  const header = ["Id", "Plan", "plan", "GICS Sector"];
  const targets = guessTargets(header, {});
  expect(addAttributes(header, {}, targets)).toEqual([
    { member: "externalId" },
    { attribute: "Plan" },
    { attribute: "plan" },
    { attribute: "GICS_Sector" },
  ]);
});

test("A line of JSON lines that refers to an account is not imported as an account, unless the map names it", async () => {
  const { importBytes } = await importWorld();
  const line = '{"externalId":"a1","accountExternalId":"x","name":"Ada"}\n';
  const name = "a.jsonl";
  const reason = "rows of accounts have no accountExternalId: add --resource contacts, meetings or requests";
  expect((await importBytes(line, { name })).reasons).toEqual([[1, reason]]);
  expect((await importBytes(line, { name, map: "accountExternalId=" })).counts.created).toBe(1);
});
