import { expect, setDefaultTimeout, test } from "bun:test";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { output, run } from "./binary.ts";
import { isOneLine, logOf, service } from "./service.ts";

setDefaultTimeout(60_000);

const companies = join(import.meta.dir, "../../src/quickstart/sp500.csv");
const map = "Symbol=externalId,Security=name";
const importAcme = (file: string, ...flags: string[]) => ["import", file, "--organization", "Acme", ...flags];
const ignored = "GICS Sector, GICS Sub-Industry, Headquarters Location, Date added, CIK, Founded";

test("Next to a server, a file is imported by the server; a second import changes nothing", async () => {
  const { cwd, send, server } = await service();
  copyFileSync(companies, join(cwd, "sp500.csv"));
  expect(await run(importAcme("sp500.csv", "--map", map), { cwd })).toEqual({
    code: 0,
    stdout: "503 lines of accounts: 503 created, 0 updated, 0 unchanged, 0 rejected.\n",
    stderr: `Columns, imported as accounts:\n  Symbol: externalId\n  Security: name\n${ignored
      .split(", ")
      .map((name) => `  ${name}: not imported\n`)
      .join("")}`,
  });
  // The index of names in the memory of the server has the new accounts.
  expect((await send("GET", "/api/v1/accounts?search=a.%20o.%20smith")).body.data).toMatchObject([
    { externalId: "AOS" },
  ]);
  for (const format of ["csv", "jsonl"]) {
    const exported = await output(["export", "--organization", "Acme", "--format", format], { cwd });
    const { status, text } = await send("GET", `/api/v1/accounts.${format}?sortBy=createdAt`);
    expect([status, text]).toEqual([200, `${exported}\n`]);
  }
  const again = await output(importAcme("sp500.csv", "--map", map, "--json"), { cwd });
  expect(JSON.parse(again)).toEqual({
    resource: "accounts",
    lines: 503,
    created: 0,
    updated: 0,
    unchanged: 503,
    rejected: 0,
    mapping: expect.arrayContaining([
      { column: "Symbol", field: "externalId", type: "string" },
      { column: "Founded", field: null },
    ]),
    formats: { decimal: "plain", dates: "iso", isEmptyCleared: false },
    ignored: ignored.split(", "),
    notes: [],
    rejectedFile: null,
    rejectedLines: [],
    isDryRun: false,
  });
  expect(existsSync(join(cwd, "sp500.csv.rejected.csv"))).toBe(false);
  const operations = logOf(server).flatMap(({ event, operation }) =>
    event === "admin_operation" ? [operation] : [],
  );
  expect(operations).toEqual(["POST /operator/imports", "POST /operator/imports"]);
});

test("Rejected lines are in FILE.rejected.csv; --strict exits with 1 then; a later import replaces the file", async () => {
  const { cwd } = await service();
  const file = join(cwd, "people.csv");
  const rejected = `${file}.rejected.csv`;
  writeFileSync(file, 'externalId,name,note\n1,Ada,"a,b"\n,Bob,c\n2,,\n1,Eve,\n');
  const { code, stdout, stderr } = await run(importAcme(file), { cwd });
  expect([code, stdout]).toEqual([
    0,
    "4 lines of accounts: 1 created, 0 updated, 0 unchanged, 3 rejected.\n",
  ]);
  expect(stderr).toEndWith(`Rejected lines with their reasons: ${rejected}.\n`);
  expect(readFileSync(rejected, "utf8")).toBe(
    [
      "externalId,name,note,line,reason",
      ",Bob,c,3,the line has no externalId",
      "2,,,4,name is required",
      "1,Eve,,5,line 2 has the same externalId",
      "",
    ].join("\n"),
  );
  const strict = await run(importAcme(file, "--strict", "--json"), { cwd });
  expect([strict.code, strict.stderr]).toEqual([1, ""]);
  expect(JSON.parse(strict.stdout)).toMatchObject({ unchanged: 1, rejected: 3, rejectedFile: rejected });
  writeFileSync(file, "externalId,name\n1,Ada\n");
  expect((await run(importAcme(file, "--strict"), { cwd })).code).toBe(0);
  expect(existsSync(rejected)).toBe(false);
  // The rejected line alone does not show that its point is no decimal one.
  writeFileSync(file, "externalId;name;mrr;contactActivityAt\n1;Ada;1,5;31.12.2025\n;Eve;1.250;01.02.2025\n");
  expect((await run(importAcme(file), { cwd })).stderr).toEndWith(
    `${rejected}. When they are repaired, import them with --decimal comma --dates dmy.\n`,
  );
});

test("A dry run and an import of another resource keep the file of rejected lines", async () => {
  const { cwd } = await service();
  const file = join(cwd, "rows.csv");
  const rejected = `${file}.rejected.csv`;
  const contacts = `${file}.contacts.rejected.csv`;
  writeFileSync(file, "externalId,name,title,account_id\na,,x,nobody\n");
  const read = (path: string) => (existsSync(path) ? readFileSync(path, "utf8") : null);
  const rejectedFileOf = async (...flags: string[]) => {
    const { stdout } = await run(importAcme(file, "--json", ...flags), { cwd });
    return JSON.parse(stdout).rejectedFile;
  };
  expect(await rejectedFileOf()).toBe(rejected);
  const ofAccounts = read(rejected);
  expect(ofAccounts).toBe("externalId,name,title,account_id,line,reason\na,,x,nobody,2,name is required\n");
  const dryRun = await run(importAcme(file, "--dry-run"), { cwd });
  expect(dryRun.stderr).toEndWith("Line 2: name is required.\n");
  expect(await rejectedFileOf("--dry-run")).toBeNull();
  expect(await rejectedFileOf("--resource", "contacts")).toBe(contacts);
  expect(read(contacts)).toStartWith(
    "externalId,name,title,account_id,resource,line,reason\na,,x,nobody,contacts,2,",
  );
  expect(await rejectedFileOf("--resource", "meetings", "--dry-run")).toBeNull();
  expect(read(rejected)).toBe(ofAccounts);
  writeFileSync(file, "externalId,name\na,A\n");
  expect(await rejectedFileOf()).toBeNull();
  expect(read(rejected)).toBeNull();
  expect(read(contacts)).not.toBeNull();
  // The documented name is free again.
  expect(await rejectedFileOf("--resource", "contacts")).toBe(rejected);
  expect(read(contacts)).toBeNull();
  const ofContacts = read(rejected);
  expect(await rejectedFileOf("--resource", "accounts")).toBeNull();
  expect(read(rejected)).toBe(ofContacts);
});

test("An import of which no line was accepted exits with 1; unchanged lines are accepted", async () => {
  const { cwd } = await service();
  const importText = async (text: string, ...flags: string[]) => {
    writeFileSync(join(cwd, "a.csv"), text);
    return (await run(importAcme("a.csv", ...flags), { cwd })).code;
  };
  expect(await importText("externalId,name\na,\nb,\n")).toBe(1);
  expect(await importText("externalId,name\na,\nb,\n", "--dry-run")).toBe(1);
  expect(await importText("externalId,name\na,A\nb,\n")).toBe(0);
  expect(await importText("externalId,name\na,A\nb,\n")).toBe(0);
  expect(await importText("externalId,name\n")).toBe(0);
});

test("Fields that --map leaves empty, and columns without a name, are printed", async () => {
  const { cwd } = await service();
  writeFileSync(join(cwd, "a.csv"), "id,name,status,\na,A,trialing,x\n");
  const flags = ["--map", "id=externalId,STATUS=attributes.phase"];
  const { stderr } = await run(importAcme("a.csv", ...flags), { cwd });
  expect(stderr).toStartWith(
    "Columns, imported as accounts:\n  id: externalId\n  name: name\n  status: attributes.phase (string)\n  #4: not imported\nNot filled, as --map says something else about their columns: status.\n",
  );
  expect(JSON.parse(await output(importAcme("a.csv", ...flags, "--json"), { cwd }))).toMatchObject({
    ignored: ["#4"],
    unfilled: ["status"],
  });
});

test("The types of new attributes, the formats and unknown values are printed before anything is stored", async () => {
  const { cwd } = await service();
  writeFileSync(
    join(cwd, "a.csv"),
    'externalId,name,mrr,status,attributes.seats,attributes.plan\na,A,"1,250",Active,5,pro\nb,B,5,Paused,6,pro\n',
  );
  const { stderr, stdout } = await run(importAcme("a.csv", "--dry-run"), { cwd });
  expect(stdout).toStartWith("2 lines of accounts: 0 created, 0 updated, 0 unchanged, 2 rejected.");
  const mapping =
    "Columns, imported as accounts:\n  externalId: externalId\n  name: name\n  mrr: mrr\n  status: status\n  attributes.seats: attributes.seats (number)\n  attributes.plan: attributes.plan (string)\n";
  expect(stderr).toStartWith(
    mapping +
      "New attributes: attributes.seats: number, attributes.plan: string. For another type write attributes.seats:string, attributes.seats:number or attributes.seats:boolean, in the header or in --map. For dates, run accountd attributes set-type NAME date before the import.\n" +
      "Numbers such as 1.250 and 1,250 are rejected: the first rows do not show one meaning of commas and points. Add --decimal comma for 1.250,50, or --decimal point for 1,250.50.\n" +
      'status has values that are no status: Paused. Add --values "status: Paused=…" with a value for each …: the values are active, onboarding, churned, inactive.\n',
  );
  const options = ["--decimal", "point", "--values", "status: Paused=inactive"];
  const report = JSON.parse(await output(importAcme("a.csv", ...options, "--json"), { cwd }));
  expect(report).toMatchObject({ created: 2, formats: { decimal: "point" }, rejectedLines: [] });
  expect(report.mapping[4]).toEqual({
    ...{ column: "attributes.seats", field: "attributes.seats", type: "number", isNew: true },
  });
  const again = await run(importAcme("a.csv", ...options), { cwd });
  expect(again.stderr).toBe(`${mapping}Numbers are read as 1,250.50 (--decimal point).\n`);
  const { stdout: json } = await run(importAcme("a.csv", "--dry-run", "--strict", "--json"), { cwd });
  expect(JSON.parse(json).rejectedLines).toHaveLength(2);
});

test("A command line that cannot be carried out exits with 2, and imports nothing", async () => {
  const { cwd, send } = await service();
  writeFileSync(join(cwd, "a.csv"), "externalId,name\n1,Ada\n");
  writeFileSync(join(cwd, "empty.csv"), "");
  writeFileSync(join(cwd, "c.csv"), "externalId,name\n1,Ada\n");
  mkdirSync(join(cwd, "c.csv.rejected.csv"));
  const cases: [string[], string, string][] = [
    [["import", "--organization", "Acme"], "usage_error", "The FILE to import is missing."],
    [["import", "a.csv"], "usage_error", "--organization NAME|ID is missing."],
    [
      ["import", "a.csv", "--organization", "Nobody"],
      "unknown_organization",
      "There is no organization Nobody.",
    ],
    [["export", "--organization", "Nobody"], "unknown_organization", "There is no organization Nobody."],
    [
      ["export", "--organization", "Acme", "--format", "xml"],
      "usage_error",
      "--format must be csv or jsonl.",
    ],
    [importAcme("b.csv"), "unreadable_file", "b.csv does not exist."],
    [importAcme("."), "unreadable_file", ". is a folder."],
    [importAcme("/dev/null"), "unreadable_file", "/dev/null is not a file."],
    [importAcme("c.csv"), "unwritable_file", "c.csv.rejected.csv, the file for rejected lines, is a folder."],
    [importAcme("empty.csv"), "unreadable_file", "empty.csv has no header with the names of its columns."],
    [importAcme("a.csv", "--resource", "account"), "usage_error", "Did you mean accounts?"],
    [importAcme("a.csv", "--map", "id=externalId"), "invalid_mapping", "The file has no column id."],
    [importAcme("a.csv", "--map", "name=nmae"), "invalid_mapping", "Did you mean name?"],
  ];
  for (const [args, code, message] of cases) {
    const result = await run([...args, "--json"], { cwd });
    expect([args, result.code, result.stdout]).toEqual([args, 2, ""]);
    const { error } = JSON.parse(result.stderr);
    expect([args, error.code]).toEqual([args, code]);
    expect(error.message).toContain(message);
    expect(isOneLine(`${error.message}\n`)).toBe(true);
  }
  expect((await send("GET", "/api/v1/accounts")).body.pagination.total).toBe(0);
});

test("An import whose server is killed says at which line; the next import continues", async () => {
  const { cwd, server } = await service();
  const lines = Array.from({ length: 20_000 }, (_, i) => `${i},Account ${i}`);
  writeFileSync(join(cwd, "big.csv"), `externalId,name\n${lines.join("\n")}\n`);
  const importing = run(importAcme("big.csv"), { cwd });
  const text = () => readFileSync(join(cwd, "data/accountd.db-wal")).includes("Account 1999");
  while (!text()) await Bun.sleep(5);
  server.kill("SIGKILL");
  const { code, stderr } = await importing;
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^Columns, imported as accounts:\n {2}externalId: externalId\n {2}name: name\nThe import stopped at line \d+: The server does not reply any more\. Import the file again: the lines before it are unchanged then\.\n$/,
  );
  const line = Number(/line (\d+)/.exec(stderr)?.[1]);
  const { created, unchanged } = JSON.parse(await output(importAcme("big.csv", "--json"), { cwd }));
  expect(created + unchanged).toBe(20_000);
  // Every line before the one that is named was stored.
  expect(unchanged).toBeGreaterThanOrEqual(line - 2);
});

test("export --end writes a last line, and import --end demands it", async () => {
  const { cwd, server } = await service();
  await server.stop();
  const exportAcme = (...flags: string[]) => run(["export", "--organization", "Acme", ...flags], { cwd });
  copyFileSync(companies, join(cwd, "sp500.csv"));
  await output(importAcme("sp500.csv", "--map", map), { cwd });
  const { stdout } = await exportAcme("--format", "jsonl", "--end");
  expect(stdout).toEndWith('}\n{"end":true,"rows":503}\n');
  writeFileSync(join(cwd, "whole.jsonl"), stdout);
  const whole = await output(importAcme("whole.jsonl", "--end"), { cwd });
  expect(whole).toStartWith("503 lines of accounts: 0 created, 0 updated, 503 unchanged");
  writeFileSync(join(cwd, "cut.jsonl"), stdout.slice(0, -30));
  const cut = await run(importAcme("cut.jsonl", "--end"), { cwd });
  expect([cut.code, cut.stdout]).toEqual([2, ""]);
  expect(cut.stderr).toContain("it is incomplete");
  expect((await exportAcme("--end")).stderr).toContain("--end needs --format jsonl");
  expect((await exportAcme("--resource", "events", "--end")).stdout).toBe('{"end":true,"rows":0}\n');
});
