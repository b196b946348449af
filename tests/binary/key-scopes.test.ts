import { expect, setDefaultTimeout, test } from "bun:test";
import { folder, output, run } from "./binary.ts";

setDefaultTimeout(60_000);

const create = ["keys", "create", "--organization", "Acme"];

async function scopesIn(cwd: string): Promise<string[][]> {
  const keys = JSON.parse(await output(["keys", "list", "--json"], { cwd }));
  return keys.map(({ scopes }: { scopes: string[] }) => scopes);
}

test("--scope is what a key may do, and keys list shows it", async () => {
  const cwd = folder();
  await output(["organizations", "create", "Acme"], { cwd });
  await output(create, { cwd });
  const { scopes } = JSON.parse(await output([...create, "--scope", "admin,read,read", "--json"], { cwd }));
  expect(scopes).toEqual(["read", "admin"]);
  expect(await scopesIn(cwd)).toEqual([
    ["read", "write", "events"],
    ["read", "admin"],
  ]);
  expect(await output(["keys", "list"], { cwd })).toMatch(/ read,write,events .*\n.* read,admin /);
});

test("--scope of anything but a comma list of scopes is rejected and creates no key", async () => {
  const cwd = folder();
  await output(["organizations", "create", "Acme"], { cwd });
  for (const list of ["", "all", "read;write", "read,", "READ", "read write"]) {
    const { code, stdout, stderr } = await run([...create, `--scope=${list}`], { cwd });
    expect([list, code, stdout]).toEqual([list, 2, ""]);
    expect(stderr).toContain("--scope must be a comma list of read, write, events, admin.");
  }
  expect(await scopesIn(cwd)).toEqual([]);
});
