import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { binary } from "../binary/build.ts";
import { newDatabase } from "../database/files.ts";
import { bash } from "../support/bash.ts";

/** A folder with a database of the organizations Acme and Beta, where scripts run with an empty folder for copies. */
async function commandFolder() {
  const file = await newDatabase(["Acme", "Beta"]);
  const cwd = dirname(file);
  const copies = join(cwd, "copies");
  mkdirSync(copies);
  const env = { TMPDIR: copies, DATABASE_URL: file };
  const script = (text: string) => bash(`set -o pipefail; ${text}`, env, cwd);
  return { cwd, copies, env, script };
}

test("import - reads CSV and JSON lines of standard input, and an export into it gives the same rows", async () => {
  const { copies, script } = await commandFolder();
  expect(await script(`printf 'externalId,name\\na,A\\n' | accountd import - --organization Acme`)).toContain(
    "1 created",
  );
  expect(
    await script(`printf ' \\n{"externalId":"b","name":"B"}\\n' | accountd import - --organization Acme`),
  ).toContain("1 created");
  for (const format of ["csv", "jsonl"])
    expect(
      await script(
        `accountd export --organization Acme --format ${format} | accountd import - --organization Beta`,
      ),
    ).toContain(format === "csv" ? "2 created" : "2 unchanged");
  expect(readdirSync(copies)).toEqual([]);
});

test("export --bom and --formulas keep set the style of CSV, also of contacts, and an import reads it", async () => {
  const { script } = await commandFolder();
  const rows = (member: string) =>
    `printf '{"externalId":"a",${member}"name":"=A"}' | accountd import - --organization Acme`;
  await script(rows(""));
  await script(`${rows('"accountExternalId":"a",')} --resource contacts`);
  for (const resource of ["accounts", "contacts"]) {
    const text = `accountd export --organization Acme --resource ${resource} --bom --formulas keep`;
    expect(await script(`${text} | head -c 3 | od -An -tx1`)).toBe("ef bb bf");
    expect(await script(text)).toContain(",=A,");
    const again = `accountd import - --organization Acme --resource ${resource}`;
    expect(await script(`${text} | ${again}`)).toContain("1 unchanged");
  }
});

test("--encoding names the encoding of standard input by any of its labels", async () => {
  const { script } = await commandFolder();
  const latin1 = "printf 'externalId,name\\na,Soci\\351t\\351\\n' |";
  expect(await script(`! ${latin1} accountd import - --organization Acme 2>&1`)).toStartWith(
    "Standard input is not UTF-8: it is perhaps Windows-1252. Add --encoding windows-1252, and check letters such as ä and é after the import.",
  );
  await script(`${latin1} accountd import - --organization Acme --encoding latin1`);
  expect(await script("accountd export --organization Acme")).toContain("Société");
});

test("Rejected lines of standard input are in stdin.rejected.csv of the working folder, also of another resource", async () => {
  const { cwd, copies, script } = await commandFolder();
  await script(`printf 'externalId,name\\na,\\nb,B\\n' | accountd import - --organization Acme`);
  expect(readFileSync(join(cwd, "stdin.rejected.csv"), "utf8")).toBe(
    "externalId,name,line,reason\na,,2,name is required\n",
  );
  const text = "externalId,accountExternalId,title,startAt\\nm,none,T,2026-01-01\\n";
  await script(`! printf '${text}' | accountd import - --organization Acme --resource meetings`);
  expect(existsSync(join(cwd, "stdin.meetings.rejected.csv"))).toBe(true);
  expect(readdirSync(copies)).toEqual([]);
});

test("A working folder that cannot have the rejected lines, and a TMPDIR that cannot have the copy, are errors", async () => {
  const { script } = await commandFolder();
  const rows = "printf 'externalId,name\\na,A\\n' |";
  expect(await script(`! ${rows} TMPDIR=/none accountd import - --organization Acme 2>&1`)).toStartWith(
    "Standard input cannot be copied to /none (ENOENT). Set TMPDIR to another folder.",
  );
  const inFolder = `mkdir stdin.rejected.csv; ! ${rows} accountd import - --organization Acme 2>&1`;
  expect(await script(inFolder)).toContain(
    "stdin.rejected.csv, the file for rejected lines, is a folder. Import from a folder that you can write to.",
  );
  expect((await script("accountd export --organization Acme")).split("\n")).toHaveLength(1);
});

test("A message about standard input names it, and nothing of it remains", async () => {
  const { copies, script } = await commandFolder();
  expect(await script("! accountd import - --organization Acme 2>&1 < /dev/null")).toStartWith(
    "Standard input has no header with the names of its columns.",
  );
  expect(await script(`! printf '\\037\\213x' | accountd import - --organization Acme 2>&1`)).toStartWith(
    "Standard input is compressed with gzip. Decompress it first.",
  );
  expect(readdirSync(copies)).toEqual([]);
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "The copy of standard input is private, and %s removes it and ends the command",
  async (signal) => {
    const { cwd, copies, env } = await commandFolder();
    const command = [await binary(), "import", "-", "--organization", "Acme"];
    const settings = { cwd, env, stdin: "pipe" } as const;
    const child = Bun.spawn(command, { ...settings, stdout: "ignore", stderr: "ignore" });
    child.stdin.write("externalId,name\na,A\n");
    await child.stdin.flush();
    const copy = () => readdirSync(copies, { recursive: true }).map((name) => join(copies, String(name)));
    while (copy().length < 2 && child.exitCode === null) await Bun.sleep(5);
    expect(copy().map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600]);
    child.kill(signal);
    await child.exited;
    expect([child.signalCode, readdirSync(copies)]).toEqual([signal, []]);
  },
);
