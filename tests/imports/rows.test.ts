import { expect, test } from "bun:test";
import { importWorld, nothing } from "./import-world.ts";

const resources = {
  contacts: {
    header: "externalId,accountExternalId,name,email",
    line: "c,acme,Ada,ada@x.io",
    changed: "c,acme,Ada Lovelace,ada@x.io",
    row: { externalId: "c", name: "Ada Lovelace", email: "ada@x.io" },
  },
  meetings: {
    header: "externalId,accountExternalId,title,startAt,endAt",
    line: "m,acme,Review,2026-01-01T10:00Z,2026-01-01T11:00Z",
    changed: "m,acme,Review,2026-01-01T10:00Z,2026-01-01T12:00Z",
    row: { externalId: "m", title: "Review", endAt: "2026-01-01T12:00:00.000Z" },
  },
  requests: {
    header: "externalId,accountExternalId,title,status,severity,requestedAt",
    line: "r,acme,SSO,Open,4,2026-01-01",
    changed: "r,acme,SSO,Done,5,2026-01-01",
    row: { externalId: "r", title: "SSO", status: "Done", severity: 5 },
  },
} as const;

test.each(["contacts", "meetings", "requests"] as const)(
  "%s are created, updated and unchanged by external id, and exported for the next import",
  async (resource) => {
    const { importBytes, account, call } = await importWorld();
    const { id: accountId } = await account({ name: "Acme", externalId: "acme" });
    const { header, line, changed, row } = resources[resource];
    const importLine = async (text: string) =>
      (await importBytes(`${header}\n${text}\n`, { resource })).counts;
    expect(await importLine(line)).toEqual({ ...nothing, lines: 1, created: 1 });
    expect(await importLine(line)).toEqual({ ...nothing, lines: 1, unchanged: 1 });
    expect(await importLine(changed)).toEqual({ ...nothing, lines: 1, updated: 1 });
    const { data } = (await call("GET", `/api/v1/${resource}`)).body;
    expect(data).toEqual([expect.objectContaining({ ...row, accountId })]);
  },
);

test("A JSON line with null for accountExternalId is of the account with the accountId, as in an export", async () => {
  const { importBytes, account } = await importWorld();
  const { id } = await account({ name: "Acme" });
  const line = { externalId: "1", accountExternalId: null, accountId: id, name: "Ada" };
  const settings = { resource: "contacts", name: "file.jsonl" } as const;
  const { counts } = await importBytes(JSON.stringify(line), settings);
  expect(counts).toEqual({ ...nothing, lines: 1, created: 1 });
});

test("A JSON line that is nested too deeply is rejected, and the others are imported", async () => {
  const { importBytes } = await importWorld();
  const deep = `{"externalId":"2","name":"Deep","attributes":{"a":${"[".repeat(50_000)}${"]".repeat(50_000)}}}`;
  const lines = ['{"externalId":"1","name":"Ada"}', deep, '{"externalId":"3","name":"Eve"}'];
  const { counts, reasons } = await importBytes(lines.join("\n"), { name: "file.jsonl" });
  expect(counts).toEqual({ ...nothing, lines: 3, created: 2, rejected: 1 });
  expect(reasons).toEqual([[2, "the line is nested deeper than 8"]]);
});

test("The account of a row is found by accountExternalId or accountId; an unknown one rejects the row", async () => {
  const { importBytes, account, second, call } = await importWorld();
  const { id } = await account({ name: "Acme", externalId: "acme" });
  const theirs = await account({ name: "Theirs", externalId: "theirs" }, { key: second.key });
  const { counts, reasons } = await importBytes(
    [
      "externalId,accountExternalId,accountId,name,email",
      "1,acme,,Ada,ada@x.io",
      `2,,${id},Grace,`,
      "3,theirs,,Eve,",
      `4,,${theirs.id},Eve,`,
      "5,,,Eve,",
      "6,acme,,Twin,ADA@x.io",
      "7,acme,,,",
      `8,acme,${theirs.id},Eve,`,
    ].join("\n"),
    { resource: "contacts" },
  );
  expect(counts).toEqual({ ...nothing, lines: 8, created: 3, rejected: 5 });
  expect(reasons).toEqual([
    [4, "There is no account with this externalId in your organization."],
    [5, "There is no account with this id in your organization."],
    [6, "accountId or accountExternalId is required"],
    [7, "email is in use by another contact of the account"],
    [8, "name is required"],
  ]);
  const { data } = (await call("GET", "/api/v1/contacts")).body;
  expect(data.map(({ externalId, accountId }: Record<string, unknown>) => [externalId, accountId])).toEqual([
    ["1", id],
    ["8", id],
    ["2", id],
  ]);
});

test.each(["accounts", "contacts"] as const)(
  "%s with attributes are exported and imported unchanged",
  async (resource) => {
    const { importBytes, account, call } = await importWorld();
    await account({ name: "Acme", externalId: "acme" });
    const row = { externalId: "a", name: "A", ...(resource === "contacts" && { accountExternalId: "acme" }) };
    const attributes = { plan: "=pro", seats: -5, trial: true, code: "007" };
    const lines = `${JSON.stringify({ ...row, attributes })}\n`;
    expect((await importBytes(lines, { name: "a.jsonl", resource })).counts.created).toBe(1);
    const { header } = { header: Object.keys(row).join(",") };
    const csv = `${header},attributes.plan,attributes.seats,attributes.trial,attributes.code\n`;
    const values = Object.values(row).join(",");
    for (const line of [`${values},'=pro,-5,TRUE,007`, `${values},,,,`])
      expect((await importBytes(`${csv}${line}\n`, { resource })).counts.unchanged).toBe(1);
    const changed = await importBytes(`${csv}${values},,7,perhaps,\n${values.replace("a", "b")},,many,,\n`, {
      resource,
    });
    expect(changed.reasons).toEqual([
      [2, "attributes.trial must be true or false, yes or no, 1 or 0"],
      [3, "attributes.seats must be a number"],
    ]);
    const typed = `externalId,attributes.seats:string\na,7\n`;
    expect((await importBytes(typed, { resource })).counts.updated).toBe(1);
    const path = resource === "accounts" ? "accounts/external/a?include=attributes" : "contacts/external/a";
    expect((await call("GET", `/api/v1/${path}`)).body.data.attributes).toEqual({
      ...attributes,
      seats: "7",
    });
  },
);

test("New attributes have the type of all their values, and are named; the header, --map and stored rows have types", async () => {
  const { importBytes, call } = await importWorld();
  const header = "externalId,name,attributes.plan,attributes.seats:number,attributes.trial,Size";
  const line = "a,A,pro,5,true,12";
  const map = "attributes.trial=attributes.trial:boolean,Size=attributes.size";
  const first = await importBytes(`${header}\n${line}\n`, { map });
  expect(first.newAttributes).toEqual([
    ["attributes.plan", "string"],
    ["attributes.size", "number"],
  ]);
  expect((await importBytes(`${header}\n${line}\n`, { map })).newAttributes).toEqual([]);
  const { data } = (await call("GET", "/api/v1/accounts/external/a?include=attributes")).body;
  expect(data.attributes).toEqual({ plan: "pro", seats: 5, trial: true, size: 12 });
});

test("An empty text of an attribute is an empty field of CSV, which an import leaves out; JSON lines keep it", async () => {
  const { importBytes, call } = await importWorld();
  const attributesOf = async (externalId: string) =>
    (await call("GET", `/api/v1/accounts/external/${externalId}?include=attributes`)).body.data.attributes;
  const attributes = { note: "", plan: "pro" };
  await importBytes(`${JSON.stringify({ externalId: "a", name: "A", attributes })}\n`, { name: "a.jsonl" });
  for (const format of ["csv", "jsonl"]) {
    const { text } = await call("GET", `/api/v1/accounts.${format}?externalId=a`);
    const name = `file.${format}`;
    expect((await importBytes(text, { name })).counts).toEqual({ ...nothing, lines: 1, unchanged: 1 });
    const copy = text.replace(
      format === "csv" ? ",a,A," : '"externalId":"a"',
      format === "csv" ? `,${format},A,` : `"externalId":"${format}"`,
    );
    expect((await importBytes(copy, { name })).counts.created).toBe(1);
  }
  expect(await attributesOf("a")).toEqual(attributes);
  expect(await attributesOf("jsonl")).toEqual(attributes);
  expect(await attributesOf("csv")).toEqual({ plan: "pro" });
});

test("A dry run has the same result and stores nothing", async () => {
  const { importBytes, account, call } = await importWorld();
  await account({ name: "Old", externalId: "old" });
  const csv = "externalId,name\nold,New\nnew,New\nbad,\n";
  const before = (await call("GET", "/api/v1/changes")).text;
  const dry = await importBytes(csv, { isDryRun: true });
  expect(dry.counts).toEqual({ lines: 3, created: 1, updated: 1, unchanged: 0, rejected: 1 });
  expect((await call("GET", "/api/v1/changes")).text).toBe(before);
  const { counts, reasons } = await importBytes(csv);
  expect([counts, reasons]).toEqual([dry.counts, dry.reasons]);
});

test("Rows are changes by the command line; a second import adds none", async () => {
  const { importBytes, call, faults } = await importWorld();
  const csv = `externalId,name\n${Array.from({ length: 450 }, (_, i) => `a-${i},A ${i}`).join("\n")}\n`;
  expect((await importBytes(csv)).counts).toEqual({ ...nothing, lines: 450, created: 450 });
  expect((await importBytes(csv)).counts).toEqual({ ...nothing, lines: 450, unchanged: 450 });
  const changes: Record<string, unknown>[] = [];
  for (let after = 0, hasMore = true; hasMore; ) {
    const { data, pagination } = (await call("GET", `/api/v1/changes?after=${after}&limit=200`)).body;
    changes.push(...data);
    after = pagination.nextAfter;
    hasMore = pagination.hasNextPage;
  }
  expect(changes.length).toBe(450);
  for (const change of changes)
    expect(change).toMatchObject({ type: "account.created", actor: { type: "cli" } });
  expect((await call("GET", "/api/v1/accounts?search=a%20449")).body.pagination.total).toBe(1);
  expect(await faults(0)).toEqual([]);
});

test("An import changes only its organization", async () => {
  const { importBytes, account, second, call } = await importWorld();
  const theirs = await account({ name: "Theirs", externalId: "a" }, { key: second.key });
  const read = () => call("GET", `/api/v1/accounts/${theirs.id}`, undefined, { key: second.key });
  const before = (await read()).text;
  expect((await importBytes("externalId,name\na,Mine\n")).counts).toMatchObject({ created: 1 });
  expect((await read()).text).toBe(before);
});

test("Other writes of the organization run between the transactions of an import", async () => {
  const { importBytes, call } = await importWorld();
  const rows = Array.from({ length: 4_000 }, (_, i) => `i-${i},Imported\n`);
  let other: ReturnType<typeof call> | undefined;
  await importBytes(`externalId,name\n${rows.join("")}`, {
    onPart: () => {
      other ??= call("POST", "/api/v1/accounts", { name: "Other" });
    },
  });
  const id = (await other)?.body.data.id;
  const idOf = async (externalId: string) =>
    (await call("GET", `/api/v1/accounts/external/${externalId}`)).body.data.id;
  expect(id).toBeWithin((await idOf("i-0")) + 1, await idOf("i-3999"));
});

test("A JSON line whose attributes are over 32 KiB is rejected, and the others are imported", async () => {
  const { importBytes, names } = await importWorld();
  const attributes = Object.fromEntries(Array.from({ length: 34 }, (_, i) => [`a${i}`, "é".repeat(500)]));
  const lines = [
    { externalId: "1", name: "Ada" },
    { externalId: "2", name: "Large", attributes },
    { externalId: "3", name: "Eve" },
  ];
  const text = lines.map((line) => JSON.stringify(line)).join("\n");
  const { counts, reasons } = await importBytes(text, { name: "file.jsonl" });
  expect(counts).toEqual({ ...nothing, lines: 3, created: 2, rejected: 1 });
  expect(reasons).toEqual([[2, expect.stringContaining("at most 32768 bytes of JSON")]]);
  expect([...(await names()).keys()].toSorted()).toEqual(["1", "3"]);
});
