import { expect, test } from "bun:test";
import { join } from "node:path";
import { Followers } from "../../src/core/changes/followers.ts";
import { createMetrics } from "../../src/server/metrics.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { temporaryFile, world } from "../support/world.ts";
import { sectionOf } from "./documents.ts";

type Panel = { title: string; description: string; targets: { expr: string }[] };
type Groups = { groups: { rules: { expr: string }[] }[] };

const deploy = join(import.meta.dir, "../../deploy");
const alerts = join(deploy, "alerts.yml");
const dashboard: { panels: Panel[] } = await Bun.file(join(deploy, "grafana.json")).json();
const expressions = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
const promtool = Bun.which("promtool");

async function registry() {
  const { engine, file } = await world();
  const metrics = createMetrics();
  closeAfterTest(async () => metrics.stop());
  const sources = { engine, file, followers: new Followers(engine), storeState: () => "ok" as const };
  metrics.watch({ ...sources, backlog: () => undefined, backups: undefined, clock: Date.now });
  return metrics.registry;
}

/** The names of metrics in a text, without the parts of a histogram. */
function namesIn(text: string): string[] {
  const names = text.match(/\b(?:accountd|http|process)_[a-z_]+\b/g) ?? [];
  return [...new Set(names.map((name) => name.replace(/_(?:bucket|sum|count)$/, "")))].toSorted();
}

test("the dashboard and the alerts use metrics that exist, and the document has each metric", async () => {
  const existing = (await registry()).getMetricsAsArray().map(({ name }) => name);
  // Safe: the test of promtool checks the form.
  const { groups } = Bun.YAML.parse(await Bun.file(alerts).text()) as Groups;
  const rules = groups.flatMap((group) => group.rules);
  expect(rules.length).toBeGreaterThan(5);
  const used = namesIn([...expressions, ...rules.map(({ expr }) => expr)].join("\n"));
  expect(used.filter((name) => !existing.includes(name))).toEqual([]);
  expect(existing.filter((name) => !namesIn(expressions.join("\n")).includes(name))).toEqual([]);
  const documented = namesIn(sectionOf("docs/operations.md", "### Metrics"));
  expect(documented).toEqual(existing.toSorted());
});

test("each panel of the dashboard answers a question of the document", () => {
  const section = sectionOf("docs/operations.md", "### Metrics");
  const [, table = ""] = section.split("| question | panel |\n|---|---|\n");
  const rows = table.split("\n\n")[0]?.split("\n") ?? [];
  const named = rows.flatMap(
    (row) =>
      row
        .split("|")[2]
        ?.split(",")
        .map((title) => title.trim()) ?? [],
  );
  const titles = dashboard.panels.map(({ title }) => title);
  expect([...new Set(named)].toSorted()).toEqual(titles.toSorted());
  for (const { description } of dashboard.panels) expect(description).toContain("?");
});

/** Runs promtool (Debian package prometheus); returns its output with the exit code. */
function runPromtool(args: string[], input = ""): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync([promtool ?? "promtool", ...args], {
    stdin: Buffer.from(input),
  });
  return `${exitCode}: ${stdout}${stderr}`;
}

test.skipIf(!promtool)("promtool accepts the alerts", () => {
  expect(runPromtool(["check", "rules", "--lint-fatal", alerts])).toStartWith("0: ");
});

test.skipIf(!promtool)("promtool accepts the expressions of the dashboard", async () => {
  const rules = expressions.map((expr, i) => ({
    record: `panel:${i}`,
    expr: expr.replaceAll("$__rate_interval", "5m").replaceAll("$job", "accountd"),
  }));
  const file = temporaryFile("rules.yml");
  await Bun.write(file, JSON.stringify({ groups: [{ name: "dashboard", rules }] }));
  expect(runPromtool(["check", "rules", "--lint-fatal", file])).toStartWith("0: ");
});

test.skipIf(!promtool)("promtool accepts the metrics", async () => {
  expect(runPromtool(["check", "metrics"], await (await registry()).metrics())).toBe("0: ");
});
