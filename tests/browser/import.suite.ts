import { expect } from "bun:test";
import { drop, results } from "./import-page.ts";
import { cellsOf, eventually } from "./page-text.ts";
import { consoleSuite } from "./suite.ts";

const { server, test } = consoleSuite();

/** 25 rows: that of line 4 has no number in `MRR`, that of line 25 an unknown status. */
const rows = Array.from({ length: 25 }, (_, i) => {
  const mrr = i === 2 ? "many" : String(100 + i);
  const status = i === 23 ? "sleeping" : "active";
  return `imp-${i},"Import, ${i}",${mrr},${status},gold,${i}`;
});
const csv = ["Customer ID,Company,MRR,Status,Level,Seats", ...rows].join("\r\n");

test("a dropped file is mapped, previewed, checked and imported", async ({ page, open, idle }) => {
  await open("/console/import");
  await drop(page, "customers.csv", csv);
  await page.getByText("customers.csv").waitFor();
  const target = (column: string) => page.getByLabel(`${column}: imported as`);
  expect(await target("Customer ID").inputValue()).toBe("externalId");
  expect(await target("Company").inputValue()).toBe("name");
  expect(await target("MRR").inputValue()).toBe("mrr");
  expect(await target("Level").inputValue()).toBe("");
  await target("Level").selectOption("attribute");
  await target("Seats").selectOption("attribute");
  expect(await page.getByLabel("Seats: type of the attribute").inputValue()).toBe("number");
  expect(await page.getByLabel("Seats: type of the attribute").locator("option").allInnerTexts()).toEqual([
    "Text",
    "Number",
    "Yes or no",
  ]);
  expect(await page.getByLabel("Seats: name of the attribute").inputValue()).toBe("Seats");
  await page.getByRole("columnheader", { name: "External id", exact: true }).waitFor();
  await page.getByRole("columnheader", { name: "Seats", exact: true }).waitFor();
  await idle();

  const preview = await cellsOf(page.getByRole("region", { name: "Preview, table" }).locator("table"));
  expect(preview).toHaveLength(20);
  expect(preview[0]).toEqual(["2", "New account", "imp-0", "Import, 0", "100", "active", "gold", "0"]);
  expect(preview[2]?.[1]).toStartWith("Rejected:");

  const counts = (created: number, word: string) => [
    `${word}created\n${created}`,
    `${word}updated\n0`,
    "unchanged\n0",
    `${word}rejected\n2`,
  ];
  await page.getByRole("button", { name: "Dry run of all rows" }).click();
  await page.getByText("Nothing was stored.").waitFor();
  expect(await eventually(() => results(page), counts(23, "would be "))).toEqual(counts(23, "would be "));
  const missing = await server().send("GET", "accounts/external/imp-0");
  expect(missing.status).toBe(404);

  await page.getByRole("button", { name: "Import", exact: true }).click();
  await page.getByText("The import is complete.").waitFor();
  expect(await results(page)).toEqual(counts(23, ""));
  const imported = "accounts/external/imp-24?include=attributes";
  expect(await server().request<object>("GET", imported)).toMatchObject({
    name: "Import, 24",
    mrr: 124,
    active: true,
    attributes: { Level: "gold", Seats: 24 },
  });

  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download rejected rows" }).click();
  const file = await downloading;
  expect(file.suggestedFilename()).toBe("customers.rejected.csv");
  const lines = (await Bun.file(await file.path()).text()).trim().split(/\r?\n/);
  expect(lines).toHaveLength(3);
  expect(lines[1]).toContain("imp-2,");
  expect(lines[2]).toContain("imp-23,");

  await page.getByRole("button", { name: "Import", exact: true }).click();
  const again = ["created\n0", "updated\n0", "unchanged\n23", "rejected\n2"];
  expect(await eventually(() => results(page), again)).toEqual(again);
});

test("fields have the names that people see, in the columns, the preview and the reasons", async ({
  page,
  open,
}) => {
  await open("/console/import");
  await page.getByText("Your own fields, such as plan or owner").waitFor();
  await drop(page, "names.csv", "Customer ID,Company,MRR\nn-1,Names,much\n");
  await page.getByText("names.csv 39 bytes").waitFor();
  const options = await page.getByLabel("Company: imported as").locator("option").allInnerTexts();
  expect(options).toEqual([
    ...["Not imported", "External id", "Name", "MRR", "Status", "Logo URL", "Last activity", "Attribute"],
  ]);
  await page.getByText("Rejected: MRR must be a number").waitFor();
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await page
    .getByRole("region", { name: "Rejected rows, table" })
    .getByText(/^MRR must be/)
    .waitFor();
  expect(await page.locator("main").textContent()).not.toMatch(
    /externalId|logoUrl|contactActivityAt|attributes\./,
  );
});

test("the focus moves to Cancel while a run is in progress, then to its outcome, from which a link leads to the accounts", async ({
  page,
  open,
  idle,
}) => {
  const focused = () => page.evaluate<string>("document.activeElement.textContent");
  const lines = Array.from({ length: 5_000 }, (_, i) => `focus-${i},Focus ${i}`);
  await open("/console/import");
  await drop(page, "focus.csv", ["externalId,name", ...lines].join("\n"));
  for (const [name, end] of [
    ["Dry run of all rows", "Nothing was stored."],
    ["Import", "The import is complete."],
  ] as const) {
    await page.getByRole("button", { name, exact: true }).press("Enter");
    await page.getByRole("progressbar").waitFor();
    expect(await focused()).toBe("Cancel");
    await page.getByText(end).waitFor();
    expect(await focused()).toContain(end);
  }
  await page.keyboard.press("Tab");
  expect(await focused()).toBe("Show what was changed, the latest first");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Accounts", level: 1 }).waitFor();
  await idle();
  expect(await page.locator("tbody th").first().textContent()).toContain("Focus ");
});

test("ids stay texts, and faulty rows are rejected by themselves, in a file with semicolons", async ({
  page,
  open,
}) => {
  const numbers = Array.from({ length: 300 }, (_, i) => `x-${i};X ${i};active;${90_001 + i};${i}`);
  const faulty = ['x-300;"24" inch;active;1;1', "x-301;Y;paused;1;1", "x-301;Y;active;02139;2.50", ";;;;"];
  await open("/console/import");
  await drop(page, "ids.csv", ["externalId;name;status;Reason;Seats", ...numbers, ...faulty].join("\r\n"));
  await page.getByText("Not imported: Reason", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Import as attributes" }).click();
  expect(await page.getByText("Not imported:").count()).toBe(0);
  for (const [column, type] of [
    ["Reason", "string"],
    ["Seats", "number"],
  ] as const) {
    expect(await page.getByLabel(`${column}: type of the attribute`).inputValue()).toBe(type);
  }
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await page.getByText("The import is complete.").waitFor();
  expect(await results(page)).toEqual(["created\n301", "updated\n0", "unchanged\n0", "rejected\n2"]);
  const imported = "accounts/external/x-301?include=attributes";
  expect(await server().request<object>("GET", imported)).toMatchObject({
    attributes: { Reason: "02139", Seats: 2.5 },
  });
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download rejected rows" }).click();
  const lines = (await Bun.file(await (await downloading).path()).text()).split("\n");
  expect(lines.map((line) => line.split(";").slice(0, 6))).toEqual([
    ["externalId", "name", "status", "Reason", "Seats", "line"],
    ["x-300", '"""24"" inch"', "active", "1", "1", "302"],
    ["x-301", "Y", "paused", "1", "1", "303"],
    [""],
  ]);
});

test("numbers, dates, empty cells and unknown statuses are read as they are chosen", async ({
  page,
  open,
}) => {
  await server().send("PUT", "accounts/external/fmt-1", {
    ...{ name: "Old", logoUrl: "https://a.example/l.png", attributes: { tariff: "pro" } },
  });
  const lines = [
    "Id;Name;MRR;Status;Last contact;Tariff;Logo",
    "fmt-1;Acme;1.250,50 €;Cancelled;01.02.2025;;",
    "fmt-2;Beta;900;Trialing;02.02.2025 10:00;gold;",
    "fmt-3;Cobalt;5;Paused;03.02.2025;gold;",
  ];
  await open("/console/import");
  await drop(page, "formats.csv", lines.join("\r\n"));
  const preview = page.getByRole("region", { name: "Preview, table" }).locator("table");
  await preview.waitFor();
  expect(await page.getByLabel("Numbers").locator("option:checked").textContent()).toBe(
    "As in the file: 1.250,50",
  );
  expect(await page.getByLabel("Dates").locator("option:checked").textContent()).toBe(
    "As in the file: not clear",
  );
  await page.getByLabel("Dates").selectOption("dmy");
  await page.getByLabel("Cancelled: imported as").selectOption("churned");
  await page.getByLabel("Trialing: imported as").selectOption("onboarding");
  await page.getByLabel("Empty cells clear values").check();
  await page.getByLabel("Logo: imported as").selectOption("logoUrl");
  const rows = [
    ["2", "Update", "fmt-1", "Acme", "1250.5", "churned", "2025-02-01", "", ""],
    ["3", "New account", "fmt-2", "Beta", "900", "onboarding", "2025-02-02T10:00:00", "gold", ""],
  ];
  const shown = async () => (await cellsOf(preview)).slice(0, 2);
  expect(await eventually(shown, rows)).toEqual(rows);
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await page.getByText("The import is complete.").waitFor();
  expect(await results(page)).toEqual(["created\n1", "updated\n1", "unchanged\n0", "rejected\n1"]);
  const read = (id: string) =>
    server().request<object>("GET", `accounts/external/${id}?include=attributes,status`);
  expect(await read("fmt-1")).toMatchObject({
    mrr: 1250.5,
    status: "churned",
    logoUrl: null,
    attributes: {},
  });
  expect(await read("fmt-2")).toMatchObject({
    mrr: 900,
    status: "onboarding",
    attributes: { tariff: "gold" },
  });
});

test("a file without ids says which column is missing", async ({ page, open }) => {
  await open("/console/import");
  const file = { name: "names.csv", mimeType: "text/csv", buffer: Buffer.from("Company;MRR\nAcme;5\n") };
  await page.getByLabel("CSV file").setInputFiles(file);
  await page.getByText("Choose the column that is imported as External id.").waitFor();
  expect(await page.getByRole("button", { name: "Import", exact: true }).isDisabled()).toBe(true);
  await page.getByLabel("Company: imported as").selectOption("externalId");
  await page.getByRole("region", { name: "Preview, table" }).waitFor();
  expect(await page.getByRole("button", { name: "Import", exact: true }).isDisabled()).toBe(false);
});

test("a file that is no table says so", async ({ page, open }) => {
  await open("/console/import");
  const file = { name: "empty.csv", mimeType: "text/csv", buffer: Buffer.from("") };
  await page.getByLabel("CSV file").setInputFiles(file);
  await page.getByRole("alert").waitFor();
});

test("a file in Windows-1252 is read as it is recognized, and can be read in another encoding", async ({
  page,
  open,
  idle,
}) => {
  await open("/console/import");
  const name = "Soci\u00e9t\u00e9 1252";
  const buffer = Buffer.from(`externalId,name\nw1,${name}\n`, "latin1");
  await page.getByLabel("CSV file").setInputFiles({ name: "latin.csv", mimeType: "text/csv", buffer });
  const encoding = page.getByLabel("Encoding");
  expect(await encoding.inputValue()).toBe("windows-1252");
  const preview = page.getByRole("region", { name: "Preview, table" });
  await encoding.selectOption("utf-8");
  await preview.getByText("Rejected:").waitFor();
  await encoding.selectOption("windows-1252");
  await preview.getByText(name).waitFor();
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await page.locator("dl[aria-label=Results]").waitFor();
  await idle();
  expect(await (await server().send("GET", "accounts/external/w1")).json()).toMatchObject({ data: { name } });
});

test("a file whose encoding is not recognized can be read in the one that is chosen", async ({
  page,
  open,
}) => {
  await open("/console/import");
  const name = "\u00c4\u00d6\u00dc\u00c4\u00d6\u00dc";
  const buffer = Buffer.from(`externalId,name\nw2,${name}\n`, "latin1");
  await page.getByLabel("CSV file").setInputFiles({ name: "capitals.csv", mimeType: "text/csv", buffer });
  await page.getByText("choose its encoding").waitFor();
  await page.getByLabel("Encoding").selectOption("windows-1252");
  await page.getByRole("region", { name: "Preview, table" }).getByText(name).waitFor();
  const utf16 = Buffer.from(`\ufeffexternalId,name\nw3,Acme\n`, "utf16le");
  await page.getByLabel("CSV file").setInputFiles({ name: "utf16.csv", mimeType: "text/csv", buffer: utf16 });
  await page.getByRole("region", { name: "Preview, table" }).getByText("Acme").waitFor();
  expect(await page.getByLabel("Encoding").inputValue()).toBe("utf-16le");
});
