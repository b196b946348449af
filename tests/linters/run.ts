import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeApp } from "../../src/app.ts";

const folder = mkdtempSync(join(tmpdir(), "accountd-linters-"));
const file = join(folder, "openapi.json");
/** Redocly neither reports its use nor looks for a new version. */
const env = { ...Bun.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };

/** The rules that a linter reports on the document, warnings and hints included. Throws when it prints no report. */
type Linter = { name: string; rulesOf(): Promise<string[]> };

const linters: Linter[] = [
  {
    name: "Redocly",
    async rulesOf() {
      const report = await run("redocly", "lint", file, "--config", "redocly.yaml", "--format", "json");
      // Safe: the report of Redocly; parsing fails on any other text.
      return (JSON.parse(report) as { problems: { ruleId: string }[] }).problems.map(({ ruleId }) => ruleId);
    },
  },
  {
    name: "Spectral",
    async rulesOf() {
      const report = await run(
        "spectral",
        "lint",
        file,
        "--ruleset",
        "spectral.yaml",
        "--format",
        "json",
        "--quiet",
      );
      // Safe: the report of Spectral.
      return (JSON.parse(report) as { code: string }[]).map(({ code }) => code);
    },
  },
];

async function run(program: string, ...words: string[]): Promise<string> {
  const command = [join(import.meta.dir, "node_modules/.bin", program), ...words];
  const child = Bun.spawn(command, { cwd: import.meta.dir, env, stderr: "pipe" });
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  await child.exited;
  if (output.trim() === "") throw new Error(`${program} prints no report: ${errors}`);
  return output;
}

/** As `/docs/json` serves it: both linters report a document without servers. */
const document = JSON.stringify({ ...describeApp(), servers: [{ url: "https://accounts.test" }] });
/** The control: a document that both linters report, because an operation has no `operationId`. */
const damaged = document.replace('"operationId":"listAccounts",', "");

let hasFailed = false;
for (const { name, rulesOf } of linters) {
  await Bun.write(file, document);
  const rules = await rulesOf();
  await Bun.write(file, damaged);
  const isEffective = (await rulesOf()).length > 0;
  hasFailed ||= rules.length > 0 || !isEffective;
  const found = rules.length > 0 ? [...new Set(rules)].join(", ") : "no problem";
  console.info(`${name}: ${found}; the control is ${isEffective ? "reported" : "not reported"}`);
}
rmSync(folder, { recursive: true });
process.exitCode = hasFailed ? 1 : 0;
