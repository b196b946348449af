import { expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import client from "../../clients/typescript/package.json" with { type: "json" };
import manifest from "../../package.json" with { type: "json" };
import { describeApp } from "../../src/app.ts";
import { violationCodes } from "../../src/core/errors.ts";
import { itemCodes } from "../../src/core/item-codes.ts";
import { problemCodes } from "../../src/core/problem-types.ts";
import {
  addressSettings,
  connectionSettings,
  serverSettings,
  variableOf,
} from "../../src/core/settings/settings.ts";
import generators from "../generators/package.json" with { type: "json" };
import { bash } from "../support/bash.ts";
import { command, serve } from "../support/server.ts";
import { temporaryFile } from "../support/world.ts";
import {
  brokenLinks,
  codeBlocks,
  codeSpans,
  documentAt,
  documents,
  existsInRepository,
  layoutPaths,
  sectionOf,
} from "./documents.ts";

setDefaultTimeout(60_000);

test("README.md has at most 120 lines", () => {
  expect(documentAt("README.md").trimEnd().split("\n").length).toBeLessThanOrEqual(120);
});

test("the documents of docs/, without operations.md, have at most 22,000 words", () => {
  const counted = [...documents].filter(([path]) => /^docs\/(?!operations)/.test(path));
  const words = counted.flatMap(([, text]) => text.split(/\s+/).filter(Boolean));
  expect(words.length).toBeLessThanOrEqual(22_000);
});

test("the changelog has a section of the version in package.json, and the client the same version", () => {
  expect(documentAt("CHANGELOG.md")).toMatch(
    new RegExp(`^## ${RegExp.escape(manifest.version)} — \\d{4}-\\d\\d-\\d\\d$`, "m"),
  );
  expect(client.version).toBe(manifest.version);
});

test("every link between documents refers to a file and a heading that exist", async () => {
  const broken = (await Promise.all([...documents.keys()].map(brokenLinks))).flat();
  expect(broken).toEqual([]);
});

test("every `bun run` command in the documents is a script of package.json", () => {
  const used = [...documents.values()].flatMap((text) => [
    ...text.matchAll(/npx -y bun@([\d.]+) (?:run )?([a-z:]+)/g),
  ]);
  expect(used.length).toBeGreaterThan(8);
  for (const [line, version, script = ""] of used) {
    expect(version, line).toBe(manifest.devDependencies["bun-types"]);
    expect(Object.keys(manifest.scripts), line).toContain(script);
  }
});

test("docs/api.md lists exactly the types of changes of the OpenAPI document", async () => {
  // Safe: `ChangeTypeCount` has the enumeration of the types.
  const { components } = (await describeApp()) as {
    components: { schemas: { ChangeType: { enum: string[] } } };
  };
  const [, table = ""] = sectionOf("docs/api.md", "### The feed").split(/^\| `type` \| fields .*\n/m);
  const listed = [...table.matchAll(/^\|(.*?)\|/gm)].flatMap(([, types = ""]) => codeSpans(types));
  expect(listed.toSorted()).toEqual(components.schemas.ChangeType.enum.toSorted());
});

test("docs/api.md lists exactly the operations of the OpenAPI document", async () => {
  // Safe: the OpenAPI document has a path item for each path, with a member for each method.
  const { paths } = (await describeApp()) as { paths: Record<string, Record<string, unknown>> };
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const listed = codeSpans(sectionOf("docs/api.md", "## Endpoints")).filter((span) =>
    /^[A-Z]+ \/(?!docs|$)/.test(span),
  );
  expect(listed.toSorted()).toEqual(operations.toSorted());
});

test("docs/api.md lists exactly the error codes", () => {
  const codes = new Set<string>([...problemCodes, ...violationCodes, ...itemCodes]);
  const rows = sectionOf("docs/api.md", "## Errors").matchAll(
    /^\| (?:\d{3} \| )?((?:`[a-z_]+`(?:, )?)+) \|/gm,
  );
  const listed = new Set([...rows].flatMap(([, cell = ""]) => codeSpans(cell)));
  expect([...listed].toSorted()).toEqual([...codes].toSorted());
});

test("docs/operations.md lists exactly the commands, flags and environment variables", async () => {
  const names = [...(await command("--help")).matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, name = ""]) => name);
  const help = (await Promise.all(names.map((name) => command(name, "--help")))).join("\n");
  // A command occurs in its usage and in its examples.
  const usages = help.matchAll(/^ {2}(accountd [a-z]+(?: [a-z]+)?)/gm);
  const forms = [...new Set([...usages].map(([, form = ""]) => form))];
  const flags = new Set([...help.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, flag = ""]) => flag));
  const variables = new Set([...help.matchAll(/\(([A-Z]+(?:_[A-Z]+)*)[;=)]/g)].map(([, name = ""]) => name));
  expect(Math.min(forms.length, flags.size, variables.size)).toBeGreaterThan(4);

  const text = documentAt("docs/operations.md");
  const listed = codeSpans(sectionOf("docs/operations.md", "## Commands").split("\n\n")[0] ?? "");
  const listedForms = listed.flatMap((span) => /^accountd [a-z]+(?: [a-z]+)?/.exec(span)?.[0] ?? []);
  expect(listedForms.toSorted()).toEqual(forms.toSorted());

  expect([...flags].filter((flag) => !text.includes(flag))).toEqual([]);
  const settings = sectionOf("docs/operations.md", "## Configuration").matchAll(
    /^\| `(--[a-z-]+)[^|]*\| `([A-Z_]+)`/gm,
  );
  const configured = [...settings];
  expect(configured.map(([, flag]) => flag)).toSatisfy((all) => all.every((flag) => flags.has(flag ?? "")));
  expect(configured.map(([, , name]) => name).toSorted()).toEqual([...variables].toSorted());
  const table = sectionOf("docs/operations.md", "## Configuration");
  const all = { ...addressSettings, ...serverSettings, ...connectionSettings };
  const pairs = configured.map(([, flag, variable]) => `${flag} ${variable}`);
  for (const [flag, { default: initial }] of Object.entries(all)) {
    expect(table).toContain(`\`${variableOf(flag)}\` | ${initial === "" ? "none" : `\`${initial}\``}`);
    if (flags.has(`--${flag}`)) expect(pairs).toContain(`--${flag} ${variableOf(flag)}`);
  }
});

test("the layout of docs/architecture.md has existing paths only, and every folder of db/ and src/", async () => {
  const [block = ""] = codeBlocks(sectionOf("docs/architecture.md", "## Layout"), "");
  const listed = layoutPaths(block);
  expect(listed).toContain("src/feature-requests/");
  const missing: string[] = [];
  for (const path of listed) if (!(await existsInRepository(path))) missing.push(path);
  expect(missing).toEqual([]);
  const root = join(import.meta.dir, "../..");
  const files = [...new Bun.Glob("{db,src}/*/**/*.*").scanSync(root)];
  const folders = new Set(files.map((path) => /^\w+\/[\w-]+\//.exec(path)?.[0] ?? path));
  expect(folders.size).toBeGreaterThan(15);
  expect([...folders].filter((folder) => !listed.includes(folder))).toEqual([]);
});

test("the sources that docs/architecture.md names exist", async () => {
  const spans = codeSpans(documentAt("docs/architecture.md"));
  const sources = spans.filter((span) => /^[a-z-]+(?:\/[a-z-]+)+\.ts$/.test(span));
  const named = sources.map((path) => (/^(?:src|db|tests)\//.test(path) ? path : `src/${path}`));
  expect(named.length).toBeGreaterThan(6);
  const missing: string[] = [];
  for (const path of new Set(named)) if (!(await existsInRepository(path))) missing.push(path);
  expect(missing).toEqual([]);
});

test("the commands of docs/operations.md back up, and restore a sound backup only", async () => {
  const [make = "", configure = "", restoreOne = ""] = codeBlocks(
    sectionOf("docs/operations.md", "## Backup and restore"),
    "sh",
  );
  const [session = ""] = codeBlocks(sectionOf("docs/operations.md", "### Restore a backup"), "console");
  const restore = [...session.matchAll(/^\$ (.*)$/gm)].map(([, line]) => line).join("\n");
  const folder = dirname(temporaryFile("accountd.db"));
  const backups = join(folder, "backups");
  const inFolder = (script: string) =>
    bash(
      `${standIns}\n${script.replaceAll("/var/lib/accountd", folder).replaceAll("/var/backups/accountd", backups).replaceAll("/etc/systemd", join(folder, "systemd"))}`,
      { DATABASE_URL: join(folder, "accountd.db") },
    );
  await command("organizations", "create", "acme", "--database", join(folder, "accountd.db"));
  await inFolder(make);
  const [name = ""] = readdirSync(backups);
  const backup = join(backups, name);
  const restoreFrom = async (path: string) => {
    for (const suffix of ["", "-wal"]) await Bun.write(join(folder, `accountd.db${suffix}`), `old${suffix}`);
    await inFolder(restore.replace(/^BACKUP=.*/m, `BACKUP=${path}`)).catch(() => {});
    return readdirSync(folder).includes("accountd.db-wal")
      ? await Bun.file(join(folder, "accountd.db")).text()
      : "replaced";
  };

  expect(await restoreFrom("")).toBe("old");
  expect(await restoreFrom(join(folder, "absent.db"))).toBe("old");
  await Bun.write(join(folder, "damaged.db"), "no database");
  expect(await restoreFrom(join(folder, "damaged.db"))).toBe("old");
  expect(await restoreFrom(backup)).toBe("replaced");
  expect(readFileSync(join(folder, "accountd.db"))).toEqual(readFileSync(backup));
  const [old = ""] = readdirSync(folder).filter((path) => path.endsWith("-wal"));
  expect(old).toMatch(/^accountd\.db\.replaced-/);
  expect(readFileSync(join(folder, old), "utf8")).toBe("old-wal");

  await command("organizations", "create", "Beta", "--database", join(folder, "accountd.db"));
  await inFolder(restoreOne.replace(/^BACKUP=\S*/m, `BACKUP=${backup}`));
  const listed = await command("organizations", "list", "--json", "--database", join(folder, "accountd.db"));
  expect(JSON.parse(listed)).toMatchObject([
    { id: 1, name: "acme" },
    { id: 2, name: "Beta" },
  ]);

  await inFolder(configure);
  const unit = readFileSync(join(folder, "systemd/system/accountd.service.d/backup.conf"), "utf8");
  expect(unit).toBe(`[Service]\nEnvironment=BACKUP_DIR=${backups}\nReadWritePaths=${backups}\n`);
});

/** The commands run as root with systemd. Here the programs run as this user, and there is no server. */
const standIns = `
runuser() { shift 3; "$@"; }
systemctl() { true; }
install() { local kept=(); while [ $# -gt 0 ]; do case $1 in -o|-g) shift 2;; *) kept+=("$1"); shift;; esac; done; command install "\${kept[@]}"; }
accountd() { [ "$1" = health ] || command accountd "$@"; }
`;

test.skipIf(!Bun.which("curl"))(
  "docs/first-session.md and the examples of docs/api.md show real responses",
  async () => {
    const section = documentAt("docs/first-session.md");
    const setup = codeBlocks(section, "sh").find((block) => block.includes("keys create")) ?? "";
    const session = codeBlocks(section, "console").join("\n");
    const file = temporaryFile("accountd.db");
    const printed = await bash(`${setup}\nprintf %s "$KEY"`, { DATABASE_URL: file });
    const key = printed.split("\n").at(-1) ?? "";
    expect(key).toMatch(/^ak_\w{36}$/);

    const { url } = await serve(file);
    const steps = session.split(/^\$ /m).slice(1);
    expect(steps.length).toBeGreaterThan(5);
    for (const step of steps) {
      const [, line = "", shown = ""] = /^(.*(?:\n {4}.*)*)\n([\s\S]*)$/.exec(step) ?? [];
      const printed = await bash(line.replaceAll("http://127.0.0.1:3000", url), { KEY: key });
      expect(withoutChance(printed), line).toBe(withoutChance(shown.trim()));
    }

    const examples = [...documentAt("docs/api.md").matchAll(example)];
    expect(examples).toHaveLength(5);
    for (const [line, method = "", path = "", body, shown = ""] of examples) {
      const reply = await fetch(url + path, {
        method,
        headers: { "x-api-key": key, "content-type": "application/json", prefer: "handling=strict" },
        ...(body !== undefined && { body }),
      });
      const compact = JSON.stringify(JSON.parse(shown));
      expect(withoutChance(await reply.text()), line).toBe(withoutChance(compact));
    }
  },
);

/** An example: "The response to `GET /path` with `{body}`", perhaps more words, and the response. */
const example = /response to `([A-Z]+) (\S+)`(?: with `(\{.*\})`)?.*:\n\n```json\n([\s\S]*?)^```/gm;

/** The text without request ids and without the timestamps of the run; those that the session itself sends are midnights. */
function withoutChance(text: string): string {
  const times = text.replace(/\d{4}-\d\d-\d\dT(?!00:00:00\.000Z)[\d:.]+Z/g, "TIME");
  return times.replace(/"requestId":"[\da-f-]{36}"/g, '"requestId":"UUID"');
}

test("docs/api.md names the versions of the generators that are tested", () => {
  const section = sectionOf("docs/api.md", "## Generated clients");
  const named = [...section.matchAll(/`([@\w/-]+)` (\d[\d.]+\d)/g)].map(([, name = "", version]) => [
    name,
    version,
  ]);
  expect(named.length).toBeGreaterThan(10);
  const versions: Record<string, string> = generators.dependencies;
  expect(named).toEqual(named.map(([name = ""]) => [name, versions[name]]));
});
