import { expect, setDefaultTimeout, test } from "bun:test";
import { folder, output, run } from "./binary.ts";
import { binary } from "./build.ts";

setDefaultTimeout(60_000);

const keyForm = /^ak_[0-9A-Za-z]{36}$/;

async function folderWithOrganization(): Promise<string> {
  const cwd = folder();
  await output(["organizations", "create", "Acme"], { cwd });
  return cwd;
}

test("keys create prints only the key on standard output", async () => {
  const cwd = await folderWithOrganization();
  const { code, stdout, stderr } = await run(["keys", "create", "--organization", "Acme"], { cwd });
  expect(code).toBe(0);
  expect(stdout.trimEnd()).toMatch(keyForm);
  expect(stderr).not.toContain(stdout.trim());
  const script = `KEY=$("$0" keys create --organization acme) && printf '[%s]' "$KEY"`;
  const shell = Bun.spawn(["bash", "-c", script, await binary()], { cwd, env: {}, stderr: "ignore" });
  const text = await new Response(shell.stdout).text();
  expect(text.slice(1, -1)).toMatch(keyForm);
});

test("--scope is what a key may do, and keys list shows it", async () => {
  const cwd = await folderWithOrganization();
  const create = ["keys", "create", "--organization", "Acme"];
  await output(create, { cwd });
  const { scopes } = JSON.parse(await output([...create, "--scope", "admin,read,read", "--json"], { cwd }));
  expect(scopes).toEqual(["read", "admin"]);
  const keys = JSON.parse(await output(["keys", "list", "--json"], { cwd }));
  expect(keys).toMatchObject([{ scopes: ["read", "write", "events"] }, { scopes: ["read", "admin"] }]);
  expect(await output(["keys", "list"], { cwd })).toMatch(/ read,write,events .*\n.* read,admin /);
});
