import { expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { closeAfterTest } from "../support/cleanup.ts";
import { freePort } from "../support/free-port.ts";
import { folder, output, run, start } from "./binary.ts";
import { binary } from "./build.ts";

setDefaultTimeout(60_000);

/** Runs a command line of bash in which `"$0"` is the program. */
async function startShell(script: string, cwd: string) {
  const child = Bun.spawn(["bash", "-c", script, await binary()], {
    cwd,
    env: { PATH: Bun.env.PATH ?? "" },
    stdout: "ignore",
    stderr: "pipe",
  });
  closeAfterTest(() => {
    child.kill("SIGKILL");
    return child.exited;
  });
  return child;
}

async function statusOf(url: string): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const status = await fetch(url).then(
      (response) => response.status,
      () => undefined,
    );
    if (status !== undefined) return status;
    await Bun.sleep(50);
  }
  return 0;
}

test.each(["> /dev/full", ">&-", "> >(true)"])(
  "serve %s serves: its first line is no result",
  async (redirection) => {
    const port = await freePort();
    const script = `exec "$0" serve --port ${port} ${redirection}`;
    const child = await startShell(script, folder());
    expect(await statusOf(`http://127.0.0.1:${port}/livez`)).toBe(200);
    await Bun.sleep(300);
    expect(await statusOf(`http://127.0.0.1:${port}/livez`)).toBe(200);
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);
  },
);

test.each(["> /dev/full", "| (exec <&-; sleep 1)"])(
  "quickstart %s ends, and the next quickstart has the whole database",
  async (redirection) => {
    const cwd = folder();
    const failed = await startShell(`set -o pipefail; "$0" quickstart --port 0 ${redirection}`, cwd);
    expect(await failed.exited).toBe(1);
    const totals: number[] = [];
    for (const options of [{ cwd }, { cwd: folder() }]) {
      const server = await start(["quickstart", "--port", "0", "--json"], options, /"url":"([^"]+)"/);
      const { url, key } = JSON.parse(server.stdout());
      const response = await fetch(`${url}/api/v1/accounts`, { headers: { "x-api-key": key } });
      const body: { pagination: { total: number } } = JSON.parse(await response.text());
      totals.push(body.pagination.total);
      await server.stop();
    }
    expect(totals[0]).toBeGreaterThan(100);
    expect(totals[1]).toBe(totals[0] ?? 0);
  },
);

const hostile = "\u001b]0;title\u0007\u001b[31mred\u009b32m\u202eevil\u2066\u007f";
/** What a terminal obeys: control characters except the line feed, and changes of the direction. */
const obeyed = /(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;

test("No command prints control characters of its input", async () => {
  const cwd = folder();
  await output(["organizations", "create", "Acme"], { cwd });
  writeFileSync(join(cwd, "x.csv"), `externalId,name,${hostile}\na,Acme,${hostile}\n,B,c\n`);
  writeFileSync(join(cwd, `${hostile.replaceAll("/", "")}.csv`), `${hostile}\n1\n`);
  const imported = ["import", "--organization", "Acme"];
  for (const args of [
    [...imported, "x.csv", "--dry-run"],
    [...imported, "x.csv", "--json"],
    [...imported, "x.csv", "--map", `${hostile}=name`],
    [...imported, "x.csv", "--map", `name=${hostile}`],
    [...imported, `${hostile}.csv`],
    [...imported, "x.csv", "--resource", hostile],
    [hostile],
    ["serve", `--${hostile}`],
    ["keys", hostile],
    ["keys", "list", "--organization", hostile],
    ["keys", "create", "--organization", hostile, "--json"],
    ["organizations", "create", hostile],
    ["health", "--port", hostile],
    ["check", "--database", "missing/\u202e.db"],
  ]) {
    const { stdout, stderr } = await run(args, { cwd });
    expect({ args, obeyed: obeyed.exec(stdout + stderr)?.[0] }).toEqual({ args, obeyed: undefined });
  }
});

test("Control characters of a column's name are shown as escapes, and JSON stays JSON", async () => {
  const cwd = folder();
  await output(["organizations", "create", "Acme"], { cwd });
  writeFileSync(join(cwd, "x.csv"), "externalId,name,\u001b[31m\u202ered\na,Acme,1\n");
  const args = ["import", "x.csv", "--organization", "Acme", "--dry-run"];
  const text = await run(args, { cwd });
  expect(text.stdout + text.stderr).toContain("\\x1b[31m\\u202ered");
  const { stdout, stderr } = await run([...args, "--json", "--map", "\u202e\u009b=name"], { cwd });
  const document = stdout === "" ? stderr : stdout;
  expect(JSON.stringify(JSON.parse(document))).toContain("\u202e");
});
