import { expect, test } from "bun:test";
import fc from "fast-check";
import { importedFields } from "../../src/shared/file-fields.ts";
import { resourceNames } from "../../src/shared/resources.ts";
import { importWorld, nothing } from "./import-world.ts";

const infinite = ["888E010010", "1e400", "-1e400", "1e99999"];
/** The fields with numbers of each resource, and the cells of a valid row. */
const numberFields = [
  { resource: "accounts", row: { name: "A" }, fields: ["mrr", "attributes.code"] },
  {
    resource: "contacts",
    row: { name: "C", accountExternalId: "acme" },
    fields: ["accountId", "attributes.code"],
  },
  {
    resource: "meetings",
    row: { title: "M", accountExternalId: "acme", startAt: "2026-01-01", endAt: "2026-01-02" },
    fields: ["accountId"],
  },
  { resource: "requests", row: { title: "R", accountExternalId: "acme" }, fields: ["accountId", "severity"] },
] as const;

test.each(numberFields)(
  "A number of $resource that is not finite rejects its line",
  async ({ resource, row, fields }) => {
    const { importBytes, account } = await importWorld();
    await account({ name: "Acme", externalId: "acme" });
    for (const field of fields) {
      const isAttribute = field.startsWith("attributes.");
      for (const text of infinite) {
        const columns = { externalId: "x", ...row, [isAttribute ? `${field}:number` : field]: text };
        const csv = `${Object.keys(columns).join(",")}\n${Object.values(columns).join(",")}\n`;
        const ofCsv = await importBytes(csv, { resource });
        expect([field, text, ofCsv.counts]).toEqual([field, text, { ...nothing, lines: 1, rejected: 1 }]);
        const value = isAttribute ? `"attributes":{"code":${text}}` : `"${field}":${text}`;
        const json = `${JSON.stringify({ externalId: "x", ...row }).slice(0, -1)},${value}}\n`;
        const ofJson = await importBytes(json, { resource, name: "a.jsonl" });
        expect(ofJson.reasons).toEqual([[1, `${field} must be a finite number`]]);
      }
    }
  },
);

test.each(resourceNames)(
  "JSON lines: a number that is not finite is no value of any field of %s",
  async (resource) => {
    const { importBytes } = await importWorld();
    for (const field of [...Object.keys(importedFields[resource]), "attributes"]) {
      const row = { externalId: "x", ...(resource !== "accounts" && { accountExternalId: "acme" }) };
      const text = JSON.stringify({ ...row, [field]: "?" }).replace('"?"', "1e400");
      const { reasons } = await importBytes(text, { resource, name: "a.jsonl" });
      const isImported = field !== "attributes" || resource === "accounts" || resource === "contacts";
      if (isImported) expect(reasons).toEqual([[1, `${field} must be a finite number`]]);
    }
  },
);

test.each(["header", "stored type", "JSON lines"])(
  "A text that is another one as a number is rejected for an attribute with numbers: %s",
  async (source) => {
    const { importBytes, call } = await importWorld();
    await importBytes("externalId,name,attributes.code:number\na,A,1\n");
    const importText = async (text: string) => {
      if (source === "JSON lines")
        return importBytes(`${JSON.stringify({ externalId: "a", code: text })}\n`, {
          ...{ name: "a.jsonl", map: "code=attributes.code" },
        });
      const column = source === "header" ? "attributes.code:number" : "attributes.code";
      return importBytes(`externalId,${column}\na,${text}\n`);
    };
    for (const text of [
      "02139",
      "007",
      "+14155550123",
      "1e3",
      "32E0134",
      "12345678901234567890",
      "1234567890123456",
      "90071992547409931",
      "x",
    ])
      expect([text, (await importText(text)).counts.rejected]).toEqual([text, 1]);
    for (const [text, value] of [
      ["0", 0],
      ["-5", -5],
      ["2.50", 2.5],
      [".5", 0.5],
      ["123456789012345", 123456789012345],
      ["1.00000000000000000000", 1],
      // As an export writes it.
      ["0.30000000000000004", 0.30000000000000004],
      ["1e-7", 1e-7],
    ] as const) {
      expect([text, (await importText(text)).counts.rejected]).toEqual([text, 0]);
      const { data } = (await call("GET", "/api/v1/accounts/external/a?include=attributes")).body;
      expect(data.attributes.code).toBe(value);
    }
  },
);

test("Numbers of at most 15 digits, fractions and exponents are exported and imported unchanged", async () => {
  const { importBytes, call } = await importWorld();
  const number = fc.oneof(
    fc.integer({ min: -999_999_999_999_999, max: 999_999_999_999_999 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Number.isInteger(value)),
  );
  const property = fc.asyncProperty(fc.array(number, { minLength: 50, maxLength: 50 }), async (numbers) => {
    const accounts = numbers.map((size, i) => ({
      ...{ externalId: `${i}`, name: "A", mrr: size },
      attributes: { size: size === 0 ? 0 : size },
    }));
    await call("POST", "/api/v1/accounts/batch", { accounts });
    const csv = (await call("GET", "/api/v1/accounts.csv")).text;
    const { counts, reasons } = await importBytes(csv);
    expect([reasons, counts.unchanged]).toEqual([[], 50]);
  });
  await fc.assert(property, { numRuns: 10 });
});

test("Texts of a CSV file are read as the declared types of attributes, also without values; others reject their lines", async () => {
  const { importBytes, call } = await importWorld();
  for (const [name, type] of [
    ["seats", "number"],
    ["renewal", "date"],
  ])
    expect((await call("PUT", `/api/v1/attributes/${name}`, { type })).status).toBe(200);
  const lines = ["a1,A,5,2026-01-02", "a2,B,many,2026-01-02", "a3,C,6,soon"];
  const { reasons, newAttributes } = await importBytes(
    `externalId,name,attributes.seats,attributes.renewal\n${lines.join("\n")}\n`,
  );
  expect(reasons).toEqual([
    [3, "attributes.seats must be a number"],
    [4, "attributes.renewal must be a date such as 2026-01-02, as declared"],
  ]);
  expect(newAttributes).toEqual([]);
  const { data } = (await call("GET", "/api/v1/accounts/external/a1?include=attributes")).body;
  expect(data.attributes).toEqual({ renewal: "2026-01-02", seats: 5 });
});

test("JSON lines: an empty text is no number and no boolean, but a text", async () => {
  const { importBytes, call } = await importWorld();
  const line = '{"externalId":"a","name":"A","Seats":"","Paid":"","Note":""}\n';
  const note = "Note=attributes.note";
  const map = `Seats=attributes.seats:number,Paid=attributes.paid:boolean,${note}`;
  expect((await importBytes(line, { name: "a.jsonl", map })).reasons).toEqual([
    [1, "attributes.seats must be a number; attributes.paid must be true or false, yes or no, 1 or 0"],
  ]);
  expect((await importBytes(line, { name: "a.jsonl", map: note })).counts.created).toBe(1);
  const { data } = (await call("GET", "/api/v1/accounts/external/a?include=attributes")).body;
  expect(data.attributes).toEqual({ note: "" });
});

test("Whole numbers that would get other digits are rejected; the others of JSON lines stay as they are", async () => {
  const { importBytes, call } = await importWorld();
  const csv = "externalId,name,mrr\na,A,12345678901234567890\nb,B,1e21\n";
  expect((await importBytes(csv)).reasons).toEqual([[2, "mrr must be a number of at most 15 digits"]]);
  const lines = [
    '{"externalId":"c","name":"C","attributes":{"code":1234567890123456789}}',
    '{"externalId":"d","name":"D","attributes":{"code":9007199254740992},"ignored":1234567890123456789}',
    '{"externalId":"e","name":"E","attributes":{"code":1e300,"text":"1234567890123456789"}}',
    '{"externalId":"f","name":"F","attributes":{"code":123456789012345680000}}',
  ];
  expect((await importBytes(lines.join("\n"), { name: "a.jsonl" })).reasons).toEqual([
    [1, "attributes.code has more than 15 digits: send it as a text"],
  ]);
  const { data } = (await call("GET", "/api/v1/accounts/external/d?include=attributes")).body;
  expect(data.attributes).toEqual({ code: 9_007_199_254_740_992 });
});

test("JSON lines: a number and a boolean are converted to the type of --map, or rejected", async () => {
  const { importBytes, call } = await importWorld();
  const map = "Paid=attributes.paid:boolean,Code=attributes.code:string,Seats=attributes.seats";
  const rows = [
    { externalId: "a", name: "A", Paid: 1, Code: 5, Seats: 7 },
    { externalId: "b", name: "B", Paid: 5, Code: true },
    { externalId: "c", name: "C", Paid: null, Code: "x" },
  ];
  const jsonl = { name: "a.jsonl", map };
  const { reasons } = await importBytes(rows.map((row) => JSON.stringify(row)).join("\n"), jsonl);
  expect(reasons).toEqual([[2, "attributes.paid must be true or false, yes or no, 1 or 0"]]);
  const { data } = (await call("GET", "/api/v1/accounts?include=attributes&sortBy=name&sortOrder=asc")).body;
  expect(data.map(({ attributes }: { attributes: object }) => attributes)).toEqual([
    { paid: true, code: "5", seats: 7 },
    { code: "x" },
  ]);
  const unclear = '{"externalId":"d","name":"D","Mrr":"1.250"}\n';
  expect((await importBytes(unclear, { name: "a.jsonl", map: "Mrr=mrr" })).counts.rejected).toBe(1);
});

test("JSON lines: --map and --values name members of attributes; names that no line has are reported", async () => {
  const { importBytes, call } = await importWorld();
  const line = '{"externalId":"a","name":"A","attributes":{"stage":"Won","owner":"none","size":5}}\n';
  const { missing } = await importBytes(line, {
    ...{ name: "a.jsonl", map: "attributes.stage=attributes.phase,Stagee=mrr" },
    options: { values: "attributes.owner: none=nobody; attributes.stage: Won=won; attributes.sice: 5=6" },
  });
  expect(missing).toEqual(["Stagee", "attributes.sice"]);
  const { data } = (await call("GET", "/api/v1/accounts/external/a?include=attributes")).body;
  expect(data.attributes).toEqual({ phase: "won", owner: "nobody", size: 5 });
});
