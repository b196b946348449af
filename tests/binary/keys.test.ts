import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { endAll, folder, output, run } from "./binary.ts";
import { binary } from "./build.ts";
import { isOneLine, sendRequest, service } from "./service.ts";

setDefaultTimeout(60_000);
afterEach(endAll);

const day = 24 * 3_600_000;
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

type ListedKey = { id: number; organization: string; createdAt: string; expiresAt: string | null };
async function keysIn(cwd: string, ...args: string[]): Promise<ListedKey[]> {
  return JSON.parse(await output(["keys", "list", "--json", ...args], { cwd }));
}

test("organizations create creates an organization, and list shows it", async () => {
  const cwd = folder();
  expect(await output(["organizations", "create", "Acme"], { cwd })).toContain("Acme");
  const created = JSON.parse(await output(["organizations", "create", "Zenith", "--json"], { cwd }));
  expect(created).toEqual({ id: 2, name: "Zenith", createdAt: expect.stringMatching(/^\d{4}-.*Z$/) });
  const list = await output(["organizations", "list"], { cwd });
  expect(list).toContain("Acme");
  expect(list).toContain("Zenith");
  const rows = JSON.parse(await output(["organizations", "list", "--json"], { cwd }));
  expect(rows).toMatchObject([{ id: 1, name: "Acme" }, created]);
});

test("An empty list with --json is an empty array", async () => {
  const cwd = folder();
  await output(["migrate"], { cwd });
  expect(await output(["organizations", "list", "--json"], { cwd })).toBe("[]");
  expect(await output(["keys", "list", "--json"], { cwd })).toBe("[]");
});

test.each(["Acme", "ACME", "acme"])(
  "The name %s is rejected when an organization Acme exists",
  async (name) => {
    const cwd = await twoOrganizations();
    const { code, stdout, stderr } = await run(["organizations", "create", name], { cwd });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(isOneLine(stderr), stderr).toBe(true);
    const rows = JSON.parse(await output(["organizations", "list", "--json"], { cwd }));
    expect(rows).toHaveLength(2);
  },
);

test.each([" ", "12", "a\nb", "x".repeat(256)])("The organization name %j is rejected", async (name) => {
  const { code, stdout, stderr } = await run(["organizations", "create", name]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(isOneLine(stderr), stderr).toBe(true);
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

test("keys create --json has the key and its stored fields", async () => {
  const cwd = await twoOrganizations();
  const args = ["keys", "create", "--organization", "Acme", "--name", "robot", "--json"];
  const created = JSON.parse(await output(args, { cwd }));
  expect(created).toMatchObject({ id: 1, organization: "Acme", name: "robot", expiresAt: null });
  expect(created.key).toMatch(keyForm);
});

test.each(["Zenith", "zenith", "2"])("--organization %s is the organization Zenith", async (organization) => {
  const cwd = await twoOrganizations();
  await output(["keys", "create", "--organization", organization], { cwd });
  expect(await keysIn(cwd)).toMatchObject([{ organization: "Zenith", organizationId: 2 }]);
});

test.each(["Nobody", "3", "0"])("An unknown organization %s fails with one line", async (name) => {
  const cwd = await twoOrganizations();
  for (const action of ["create", "list"]) {
    const { code, stdout, stderr } = await run(["keys", action, "--organization", name], { cwd });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(isOneLine(stderr), stderr).toBe(true);
  }
});

test("--expires is a number of hours, days or weeks, or an ISO date", async () => {
  const cwd = await twoOrganizations();
  for (const expires of ["24h", "90d", "2w", "2099-12-31", "2099-12-31T10:00:00+02:00"])
    await output(["keys", "create", "--organization", "Acme", "--expires", expires], { cwd });
  const keys = await keysIn(cwd);
  const lifetimes = keys
    .slice(0, 3)
    .map(({ createdAt, expiresAt }) => Date.parse(expiresAt ?? "") - Date.parse(createdAt));
  expect(lifetimes).toEqual([day, 90 * day, 14 * day]);
  const dates = keys.slice(3).map(({ expiresAt }) => expiresAt);
  expect(dates).toEqual(["2099-12-31T00:00:00.000Z", "2099-12-31T08:00:00.000Z"]);
});

test("--expires that is no time, or one in the past, is rejected and creates no key", async () => {
  const cwd = await twoOrganizations();
  for (const expires of ["soon", "90", "-1d", "0d", "1.5d", "2099-02-30", "2020-01-01", ""]) {
    const args = ["keys", "create", "--organization", "Acme", `--expires=${expires}`];
    const { code, stdout, stderr } = await run(args, { cwd });
    expect({ expires, code, stdout }).toEqual({ expires, code: 2, stdout: "" });
    expect(stderr).toContain("--expires");
  }
  expect(await keysIn(cwd)).toEqual([]);
});

test("keys list shows the keys of all organizations or of one", async () => {
  const cwd = await twoOrganizations();
  for (const name of ["Acme", "Zenith", "Acme"])
    await output(["keys", "create", "--organization", name], { cwd });
  expect((await keysIn(cwd)).map(({ id, organization }) => [id, organization])).toEqual([
    [1, "Acme"],
    [2, "Zenith"],
    [3, "Acme"],
  ]);
  expect((await keysIn(cwd, "--organization", "acme")).map(({ id }) => id)).toEqual([1, 3]);
  expect((await keysIn(cwd, "--organization", "2")).map(({ id }) => id)).toEqual([2]);
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

test("keys revoke revokes only that key, at once also in a running server", async () => {
  const { cwd, url, key, send } = await service();
  const other = await output(["keys", "create", "--organization", "Acme"], { cwd });
  expect((await send("GET", "/api/v1/accounts")).status).toBe(200);
  expect(await output(["keys", "revoke", "1"], { cwd })).toContain("1");
  expect((await sendRequest(url, key, "GET", "/api/v1/accounts")).status).toBe(401);
  expect((await sendRequest(url, other, "GET", "/api/v1/accounts")).status).toBe(200);
});

test("Revoking a key twice changes nothing", async () => {
  const cwd = await twoOrganizations();
  await output(["keys", "create", "--organization", "Acme"], { cwd });
  const first = await output(["keys", "revoke", "1", "--json"], { cwd });
  expect(await output(["keys", "revoke", "1", "--json"], { cwd })).toBe(first);
});

test("Revoking an unknown key fails with one line", async () => {
  const cwd = await twoOrganizations();
  const { code, stdout, stderr } = await run(["keys", "revoke", "7"], { cwd });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(isOneLine(stderr), stderr).toBe(true);
});

test("a key's name has at most 255 characters, without control characters", async () => {
  const cwd = folder();
  await output(["organizations", "create", "Acme"], { cwd });
  for (const name of ["evil\n99  Acme", "\u001b[31mred", "x".repeat(256)]) {
    const result = await run(["keys", "create", "--organization", "Acme", "--name", name], { cwd });
    expect(result).toMatchObject({ code: 2, stdout: "" });
  }
  expect(JSON.parse(await output(["keys", "list", "--json"], { cwd }))).toEqual([]);
});

test("keys create, list and revoke print a key with the same members, its organization included", async () => {
  const cwd = await twoOrganizations();
  const args = ["--organization", "Zenith", "--name", "robot", "--json"];
  const { key: _, ...created } = JSON.parse(await output(["keys", "create", ...args], { cwd }));
  expect(await keysIn(cwd)).toEqual([created]);
  const revoked = JSON.parse(await output(["keys", "revoke", "1", "--json"], { cwd }));
  expect(Object.keys(revoked)).toEqual(Object.keys(created));
  expect(revoked).toEqual({ ...created, revokedAt: expect.stringMatching(/Z$/) });
});
