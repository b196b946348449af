import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { describeSigns } from "../../src/cli/import/format-notes.ts";
import { readMap } from "../../src/cli/import/options.ts";
import { openImport } from "../../src/cli/import/source.ts";
import { createImportTable } from "../../src/shared/imports/import-table.ts";
import { temporaryFile } from "../support/world.ts";
import { importWorld } from "./import-world.ts";

const advice = "add --decimal comma for numbers such as 1.250,50, or point for 1,250.50";

test("Numbers whose commas or points are not clear are rejected, and read with --decimal", async () => {
  const { importBytes, call } = await importWorld();
  const csvOf = (text: string) => `id,name,mrr\n1,A,"${text}"\n2,B,many\n`;
  const csv = csvOf("1,250");
  for (const [text, point, comma] of [
    ["1,250", 1250, 1.25],
    ["1.250", 1.25, 1250],
  ] as const) {
    expect((await importBytes(csvOf(text))).reasons).toEqual([
      [2, `mrr must be a number: ${advice}`],
      [3, "mrr must be a number"],
    ]);
    for (const [decimal, mrr] of Object.entries({ point, comma })) {
      await importBytes(csvOf(text), { options: { decimal } });
      expect((await call("GET", "/api/v1/accounts/external/1")).body.data.mrr).toBe(mrr);
    }
  }
  await expect(importBytes(csv, { options: { decimal: "dot" } })).rejects.toThrow(
    "--decimal must be point or comma.",
  );
});

test("A number after the first rows, and one of a file with contradictions, is not guessed", async () => {
  const { importBytes } = await importWorld();
  const rows = Array.from({ length: 1_000 }, (_, i) => `${i},A,${i}`);
  const late = ["id,name,mrr", ...rows, "late,A,1.250", "x,A,12.5"].join("\n");
  expect((await importBytes(late)).reasons).toEqual([[1002, `mrr must be a number: ${advice}`]]);
  const mixed = "id;name;mrr\n1;A;12,50\n2;A;12.50\n3;A;1.250\n4;A;5\n";
  const { reasons } = await importBytes(mixed);
  expect(reasons.map(([line]) => line)).toEqual([2, 4]);
  const prices = "id,name,mrr\n1,A,12.50\n2,B,9.99\n3,C,1.250\n";
  expect((await importBytes(prices)).counts.rejected).toBe(0);
});

test("The first rows that are stored until they are imported have about 1 MiB", async () => {
  const text = "x".repeat(100_000);
  const csv = `id;name;Note;mrr\n${Array.from({ length: 40 }, (_, i) => `${i};A;${text};${i < 30 ? "5" : "1,5"}\n`).join("")}`;
  const path = temporaryFile("large.csv");
  writeFileSync(path, csv);
  const map = { ...readMap({}, "accounts"), attributeTypes: {} };
  expect((await openImport(path, map)).table?.proposal.decimal).toBe("plain");
  writeFileSync(path, csv.replaceAll(text, "x"));
  expect((await openImport(path, map)).table?.proposal.decimal).toBe("comma");
});

test("Columns that are not imported do not decide how numbers are read", async () => {
  const { importBytes, call } = await importWorld();
  const csv = "id;name;mrr;Version 2.1;Rate\n1;A;12,50;1.9;1.5\n2;B;1.250,50;1.10;2.5\n";
  expect((await importBytes(csv)).counts.created).toBe(2);
  const { data } = (await call("GET", "/api/v1/accounts?sortBy=createdAt")).body;
  expect(data.map(({ mrr }: { mrr: number }) => mrr)).toEqual([12.5, 1250.5]);
});

test("Dates are read in the format that a day after the 12th shows; others are rejected, and read with --dates", async () => {
  const { importBytes, call } = await importWorld();
  const csvOf = (...dates: string[]) =>
    `id,name,Last contact\n${dates.map((date, i) => `${i},A,${date}`).join("\n")}\n`;
  const days = async () => {
    const { text } = await call("GET", "/api/v1/accounts.jsonl?sortBy=createdAt");
    return text.split("\n").flatMap((line) => (line ? [JSON.parse(line).contactActivityAt] : []));
  };
  await importBytes(csvOf("01.02.2025", "13.02.2025", "2025-02-03", "14.02.2025 20:35"));
  expect(await days()).toEqual([
    "2025-02-01T00:00:00.000Z",
    "2025-02-13T00:00:00.000Z",
    "2025-02-03T00:00:00.000Z",
    "2025-02-14T20:35:00.000Z",
  ]);
  const unclear = csvOf("01/02/2025", "2019-07-05 20:35:26");
  expect((await importBytes(unclear)).reasons).toEqual([
    [
      2,
      "contactActivityAt must be a date such as 2026-11-01: for day.month.year add --dates dmy, for month/day/year mdy",
    ],
  ]);
  expect((await days())[1]).toBe("2019-07-05T20:35:26.000Z");
  await importBytes(unclear, { options: { dates: "mdy" } });
  expect((await days())[0]).toBe("2025-01-02T00:00:00.000Z");
  expect((await importBytes(csvOf("13/01/2025"), { options: { dates: "mdy" } })).reasons).toEqual([
    [2, "contactActivityAt must be a date with the month before the day, or such as 2026-11-01"],
  ]);
  expect((await importBytes(csvOf("01/31/26"), { options: { dates: "mdy" } })).reasons).toEqual([
    [2, "contactActivityAt must be a date with a year of four digits, such as 2026-11-01"],
  ]);
  // Days that contradict each other are not clear.
  expect((await importBytes(csvOf("13/02/2025", "02/13/2025"))).counts.rejected).toBe(2);
});

test("A date and a time with a blank are read in every date of every resource, also of JSON lines", async () => {
  const { importBytes, account, call } = await importWorld();
  await account({ name: "Acme", externalId: "acme" });
  await call("PUT", "/api/v1/attributes/renewal", { type: "date" });
  const meetings =
    "externalId,accountExternalId,title,startAt,endAt\nm,acme,M,2026-01-02 03:04,02.01.2026 04:00\n";
  const options = { dates: "dmy" };
  expect((await importBytes(meetings, { resource: "meetings", options })).counts.created).toBe(1);
  const line = { externalId: "r", accountExternalId: "acme", title: "R", requestedAt: "2019-07-05 20:35:26" };
  const jsonl = { name: "a.jsonl", resource: "requests" } as const;
  expect((await importBytes(`${JSON.stringify(line)}\n`, jsonl)).counts.created).toBe(1);
  const read = async (path: string) => (await call("GET", `/api/v1/${path}`)).body.data;
  expect(await read("meetings/external/m")).toMatchObject({
    startAt: "2026-01-02T03:04:00.000Z",
    endAt: "2026-01-02T04:00:00.000Z",
  });
  expect((await read("requests/external/r")).requestedAt).toBe("2019-07-05T20:35:26.000Z");
  const renewals =
    "id,name,Renewal\na,A,31.12.2026\nb,B,01.11.2026 00:00:00\nc,C,2026-11-01T00:00:00.000Z\nd,D,01.11.2026 9:00\n";
  const { counts, reasons } = await importBytes(renewals);
  expect(counts.created).toBe(3);
  expect(reasons).toEqual([[5, "attributes.renewal must be a date such as 2026-01-02, as declared"]]);
  expect((await read("accounts/external/b?include=attributes")).attributes.renewal).toBe("2026-11-01");
});

test("yes and no, y and n, 1 and 0, on and off are booleans of an attribute with booleans, and texts of others", async () => {
  const { importBytes, call } = await importWorld();
  for (const [words, value] of [
    [["yes", "Y", "1", "ON", "true"], true],
    [["No", "n", "0", "off", "FALSE"], false],
  ] as const)
    for (const word of words) {
      await importBytes(`id,name,Paid\na,A,${word}\n`, { map: "Paid=attributes.paid:boolean" });
      const { data } = (await call("GET", "/api/v1/accounts/external/a?include=attributes")).body;
      expect([word, data.attributes.paid]).toEqual([word, value]);
    }
  await importBytes("id,name,Trial\nb,B,Yes\n", { map: "Trial=attributes.trial" });
  const { data } = (await call("GET", "/api/v1/accounts/external/b?include=attributes")).body;
  expect(data.attributes.trial).toBe("Yes");
});

test("Different signs of the numbers of a column are named", () => {
  const samples = [
    ["$5", "5 EUR"],
    ["6 %", "6"],
    ["x%", "7 EUR"],
  ];
  const targets = [0, 1].map((index) => ({
    index,
    field: index === 0 ? "mrr" : "attributes.fee",
    type: "number" as const,
  }));
  const input = { header: ["MRR", "Fee"], resource: "accounts", attributeTypes: {}, samples } as const;
  expect(describeSigns(createImportTable(input, targets), samples)).toEqual([
    "mrr has numbers with different signs, which are removed: $, %.",
  ]);
});

test("An empty cell keeps the stored value, and with --empty clear clears it where it can be empty", async () => {
  const { importBytes, call, account } = await importWorld();
  const header = "externalId,name,mrr,status,logoUrl,contactActivityAt,attributes.plan";
  await importBytes(`${header}\na,A,5,churned,https://a.example/l.png,2026-01-01,pro\n`);
  const read = async () => {
    const { text } = await call("GET", "/api/v1/accounts.jsonl?externalId=a");
    const { name, mrr, status, logoUrl, contactActivityAt, attributes } = JSON.parse(text);
    return { name, mrr, status, logoUrl, contactActivityAt, attributes };
  };
  const before = await read();
  expect((await importBytes(`${header}\na,,,,,,\n`)).counts.unchanged).toBe(1);
  expect(await read()).toEqual(before);
  const options = { empty: "clear" };
  expect((await importBytes(`${header}\na\na2,B\n`, { options })).counts.unchanged).toBe(1);
  expect(await read()).toEqual(before);
  expect((await importBytes(`${header}\na,,,,,,\n`, { options })).counts.updated).toBe(1);
  expect(await read()).toEqual({ ...before, logoUrl: null, contactActivityAt: null, attributes: {} });
  await account({ name: "Acme", externalId: "acme" });
  const contacts = "externalId,accountExternalId,name,email,userId\nc,acme,C,c@a.example,u1\n";
  await importBytes(contacts, { resource: "contacts" });
  const cleared = contacts.replace("C,c@a.example,u1", ",,");
  expect(
    (await importBytes(cleared, { resource: "contacts", options: { empty: "clear" } })).counts.updated,
  ).toBe(1);
  expect((await call("GET", "/api/v1/contacts/external/c")).body.data).toMatchObject({
    ...{ name: "C", email: null, userId: null },
  });
});

test("A rejected line has the reasons of all its fields", async () => {
  const { importBytes, account } = await importWorld();
  await account({ name: "Acme", externalId: "acme" });
  const accounts =
    "externalId,name,mrr,status,logoUrl,contactActivityAt,attributes.seats:number\na,A,many,paused,x,01.02.2026,007\n";
  expect((await importBytes(accounts)).reasons).toEqual([
    [
      2,
      [
        "mrr must be a number",
        "status must be one of active, onboarding, churned, inactive",
        "logoUrl must be an http or https URL",
        "contactActivityAt must be a date such as 2026-11-01: for day.month.year add --dates dmy, for month/day/year mdy",
        "attributes.seats must be a number without a plus sign, leading zeros and an exponent, of at most 15 digits",
      ].join("; "),
    ],
  ]);
  const requests =
    "externalId,accountExternalId,title,status,severity,requestedAt\nr,acme,R,Maybe,high,01.02.2026\n";
  const [[, reason] = []] = (await importBytes(requests, { resource: "requests" })).reasons;
  for (const field of ["status", "severity", "requestedAt"]) expect(reason).toContain(`${field} `);
  const days = "externalId,event,day,count\nacme,,01.02.2026,many\n";
  const [[, ofDays] = []] = (await importBytes(days, { resource: "usage-days" })).reasons;
  for (const field of ["event", "day", "count"]) expect(ofDays).toContain(`${field} `);
});
