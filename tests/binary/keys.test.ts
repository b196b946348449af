import { expect, setDefaultTimeout, test } from "bun:test";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { folder, output, run } from "./binary.ts";
import { binary } from "./build.ts";

setDefaultTimeout(60_000);

const keyForm = /^ak_[0-9A-Za-z]{36}$/;

/** The bytes of a database with the organizations Acme (1) and Zenith (2). */
async function makeDatabase(): Promise<Uint8Array> {
  const cwd = folder();
  for (const name of ["Acme", "Zenith"]) await output(["organizations", "create", name], { cwd });
  return readFileSync(join(cwd, "data/accountd.db"));
}

let database: Promise<Uint8Array> | undefined;

/** A folder with a copy of that database: to copy a file is faster than to run two commands. */
async function twoOrganizations(): Promise<string> {
  database ??= makeDatabase();
  const bytes = await database;
  const cwd = folder();
  mkdirSync(join(cwd, "data"), { mode: 0o700 });
  writeFileSync(join(cwd, "data/accountd.db"), bytes, { mode: 0o600 });
  return cwd;
}

test("An empty list with --json is an empty array", async () => {
  const cwd = folder();
  await output(["migrate"], { cwd });
  expect(await output(["organizations", "list", "--json"], { cwd })).toBe("[]");
  expect(await output(["keys", "list", "--json"], { cwd })).toBe("[]");
});

test("keys create prints only the key on standard output", async () => {
  const cwd = await twoOrganizations();
  const { code, stdout, stderr } = await run(["keys", "create", "--organization", "Acme"], { cwd });
  expect(code).toBe(0);
  expect(stdout.trimEnd()).toMatch(keyForm);
  expect(stderr).not.toContain(stdout.trim());
  const script = `KEY=$("$0" keys create --organization acme) && printf '[%s]' "$KEY"`;
  const shell = Bun.spawn(["bash", "-c", script, await binary()], { cwd, env: {}, stderr: "ignore" });
  const text = await new Response(shell.stdout).text();
  expect(text.slice(1, -1)).toMatch(keyForm);
});

test("keys list and keys revoke never show a key or its hash", async () => {
  const cwd = await twoOrganizations();
  const key = await output(["keys", "create", "--organization", "Acme"], { cwd });
  const printed = [
    await output(["keys", "list"], { cwd }),
    await output(["keys", "list", "--json"], { cwd }),
    await output(["keys", "revoke", "1", "--json"], { cwd }),
  ].join("\n");
  expect(printed).toContain(key.slice(-4));
  const digest = createHash("sha256").update(key).digest();
  for (const secret of [key.slice(3, 33), digest.toString("hex"), digest.toString("base64")])
    expect(printed).not.toContain(secret);
});

test("Revoking a key twice changes nothing", async () => {
  const cwd = await twoOrganizations();
  await output(["keys", "create", "--organization", "Acme"], { cwd });
  const first = await output(["keys", "revoke", "1", "--json"], { cwd });
  expect(await output(["keys", "revoke", "1", "--json"], { cwd })).toBe(first);
});

test("--scope is what a key may do, and keys list shows it", async () => {
  const cwd = await twoOrganizations();
  const create = ["keys", "create", "--organization", "Acme"];
  await output(create, { cwd });
  const { scopes } = JSON.parse(await output([...create, "--scope", "admin,read,read", "--json"], { cwd }));
  expect(scopes).toEqual(["read", "admin"]);
  const keys = JSON.parse(await output(["keys", "list", "--json"], { cwd }));
  expect(keys).toMatchObject([{ scopes: ["read", "write", "events"] }, { scopes: ["read", "admin"] }]);
  expect(await output(["keys", "list"], { cwd })).toMatch(/ read,write,events .*\n.* read,admin /);
});
