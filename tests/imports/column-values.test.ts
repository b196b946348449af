import { expect, test } from "bun:test";
import { $ } from "bun";
import { describeUnknownChoices } from "../../src/cli/import/format-notes.ts";
import { parseColumnValues } from "../../src/shared/imports/formats/values.ts";
import { createImportTable } from "../../src/shared/imports/import-table.ts";
import { importWorld, nothing } from "./import-world.ts";

test("--values replaces values of columns, in any case, before they are read", async () => {
  const { importBytes, call, account } = await importWorld();
  const csv = 'id,name,Status,Size\n1,A,Cancelled,big\n2,B,TRIALING,\n3,C,Active,n/a\n4,D,paused,"a, b"\n';
  const map = "Size=attributes.size:number";
  const values = 'Status: Cancelled=churned, trialing=onboarding; Size: big=3, n/a=, "a, b"=4';
  const { counts, reasons } = await importBytes(csv, { map, options: { values } });
  expect(counts).toEqual({ ...nothing, lines: 4, created: 3, rejected: 1 });
  expect(reasons).toEqual([[5, "status must be one of active, onboarding, churned, inactive"]]);
  const { data } = (await call("GET", "/api/v1/accounts?sortBy=createdAt&include=status,attributes")).body;
  expect(data.map((row: { status: string; attributes: object }) => [row.status, row.attributes])).toEqual([
    ["churned", { size: 3 }],
    ["onboarding", {}],
    ["active", {}],
  ]);
  await account({ name: "Acme", externalId: "acme" });
  const severity = { values: "severity: high=4, low=2" };
  const requests = "externalId,accountExternalId,title,severity\nr1,acme,R,High\n";
  expect((await importBytes(requests, { resource: "requests", options: severity })).counts.created).toBe(1);
  const line = '{"externalId":"r2","accountExternalId":"acme","title":"R","severity":"low"}\n';
  const jsonl = { name: "a.jsonl", resource: "requests", options: severity } as const;
  expect((await importBytes(line, jsonl)).counts.created).toBe(1);
  // A value without a target counts as empty: the default is stored.
  const empty = '{"externalId":"r3","accountExternalId":"acme","title":"R","severity":"n/a"}\n';
  const options = { values: "severity: n/a=" };
  expect((await importBytes(empty, { ...jsonl, options })).counts.created).toBe(1);
  expect((await call("GET", "/api/v1/requests/external/r3")).body.data.severity).toBe(3);
  expect((await call("GET", "/api/v1/requests/external/r1")).body.data.severity).toBe(4);
  expect((await call("GET", "/api/v1/requests/external/r2")).body.data.severity).toBe(2);
});

test("The type of a new attribute is the one of its replaced values", async () => {
  const { importBytes } = await importWorld();
  const csv = 'id,name,Seats,Paid,Size\na,A,"5,25",ja,1\nb,B,-,nein,2\nc,C,6,ja,x\n';
  const map = "Seats=attributes.seats,Paid=attributes.paid,Size=attributes.size";
  const types = async (values: string) =>
    (await importBytes(csv, { map, options: { values } })).newAttributes;
  expect(await types("Seats: -=; Paid: ja=true, nein=false; Size: x=big")).toEqual([
    ["attributes.seats", "number"],
    ["attributes.paid", "boolean"],
    ["attributes.size", "string"],
  ]);
});

test("--values of a column are written in several parts, by its name or its position", async () => {
  const { importBytes, call } = await importWorld();
  const statuses = async () =>
    (await call("GET", "/api/v1/accounts?sortBy=createdAt&include=status")).body.data.map(
      (row: { status: string }) => row.status,
    );
  const parts = ["Status: Cancelled=churned", "STATUS: trialing=onboarding", "#3: Live=active"];
  const csv = "id,name,Status\n1,A,cancelled\n2,B,trialing\n3,C,live\n";
  const options = { values: parts.join(";") };
  expect((await importBytes(csv, { options })).counts.created).toBe(3);
  expect(await statuses()).toEqual(["churned", "onboarding", "active"]);
  const lines = "cancelled,trialing"
    .split(",")
    .map((Status, i) => JSON.stringify({ externalId: `j${i}`, name: "J", Status }));
  const jsonl = { name: "a.jsonl", map: "Status=status", options: { values: parts.slice(0, 2).join(";") } };
  expect((await importBytes(lines.join("\n"), jsonl)).counts.created).toBe(2);
  for (const settings of [{}, { name: "a.jsonl", map: "Status=status" }])
    await expect(
      importBytes(csv, { ...settings, options: { values: "Status: a=active; status: A=churned" } }),
    ).rejects.toThrow("--values has a value of the column Status twice. Leave one out.");
});

test("The option that is proposed for unknown values can be written in a shell", async () => {
  const header = ["Deal: status", "Phase"];
  const texts = ["Won, big", "It's", " late", "Active"];
  const samples = texts.map((text) => [text, text]);
  const targets = [0, 1].map((index) => ({ index, field: "status" }));
  const table = createImportTable({ header, resource: "accounts", attributeTypes: {}, samples }, targets);
  const notes = describeUnknownChoices(table, samples, [{ column: "Phase", field: "status" }]);
  const options = notes.map((note) => /--values (.*) with a value/.exec(note)?.[1] ?? "");
  const written = await Promise.all(options.map((option) => $`sh -c ${`printf %s ${option}`}`.text()));
  expect(written.map((text) => parseColumnValues(text)?.map(({ values }) => [...values.keys()]))).toEqual(
    options.map(() => [["won, big", "it's", "late"]]),
  );
});

test("JSON lines: --values of a member that is not imported and --empty clear are errors", async () => {
  const { importBytes } = await importWorld();
  const line = '{"externalId":"a","name":"A","Stage":"x"}\n';
  for (const column of ["Stage", "attributes", "#3"])
    await expect(
      importBytes(line, { name: "a.jsonl", options: { values: `${column}: x=y` } }),
    ).rejects.toThrow(`--values replaces values of the member ${column}, which is not imported.`);
  await expect(importBytes(line, { name: "a.jsonl", options: { empty: "clear" } })).rejects.toThrow(
    "--empty clear is for CSV. JSON lines clear a value by null.",
  );
  expect((await importBytes(line, { name: "a.jsonl", options: { empty: "keep" } })).counts.created).toBe(1);
});

test.each([
  ["Stage: a=b", "The file has no column Stage."],
  ["Note: a=b", "--values replaces values of the column Note, which is not imported. Add it to --map."],
  ["Status a=b", "--values must be COLUMN: VALUE=OTHER"],
  ["Status:", "--values must be COLUMN: VALUE=OTHER"],
  ["Status: a=b, A=c", "--values must be COLUMN: VALUE=OTHER"],
])("--values %j is an error", async (values, message) => {
  const { importBytes } = await importWorld();
  await expect(importBytes("id,name,Status,Note\n1,A,active,x\n", { options: { values } })).rejects.toThrow(
    message,
  );
});

test("A target of --values that the list of the field does not have is an error", async () => {
  const { importBytes } = await importWorld();
  const message = '--values has "acive", which is no status: it is active, onboarding, churned, inactive.';
  for (const [name, content, map] of [
    ["a.csv", "externalId,name,Status\na,A,Won\n", undefined],
    ["a.jsonl", '{"externalId":"a","name":"A","status":"Won"}', undefined],
    ["a.jsonl", '{"externalId":"a","name":"A","Status":"Won"}', "Status=status"],
  ] as const) {
    const settings = { name, ...(map && { map }) };
    const importAs = (values: string) => importBytes(content, { ...settings, options: { values } });
    await expect(importAs("Status: Won=acive, x=")).rejects.toThrow(message);
    expect((await importAs("Status: Won=Active, x=")).counts.rejected).toBe(0);
  }
});

test("Values of --values that no first row has are noted before the import", async () => {
  const { importBytes } = await importWorld();
  const csv = "externalId,name,Status\na,A,Won\nb,B,'=Lost\n";
  const notesOf = async (values: string) => (await importBytes(csv, { options: { values } })).notes;
  expect(await notesOf('Status: won=active, "=Lost"=churned')).toEqual([]);
  expect(await notesOf('Status: Won=active, "=Lost"=churned, Lots=churned, x=')).toEqual([
    "No first row of Status has these values of --values: lots, x.",
  ]);
});
