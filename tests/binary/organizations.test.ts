import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { lockDatabase } from "../../db/sqlite/lock.ts";
import { endAll, folder, output, run, start } from "./binary.ts";
import { ask, isOneLine, service } from "./service.ts";

setDefaultTimeout(60_000);
afterEach(endAll);

const path = "/api/v1/accounts";
const marker = "Quetzalcoatlus";

/** A served database of Acme, with accounts that bear the marker, and Zenith, with a key each. */
async function twoOrganizations() {
  const acme = await service();
  await output(["organizations", "create", "Zenith"], { cwd: acme.cwd });
  const zenith = await output(["keys", "create", "--organization", "Zenith"], { cwd: acme.cwd });
  for (const name of [`${marker} One`, `${marker} Two`])
    expect((await acme.ask("POST", path, { name, externalId: name, contactName: marker })).status).toBe(201);
  expect((await ask(acme.url, zenith, "POST", path, { name: "Other" })).status).toBe(201);
  return { ...acme, zenith };
}

async function namesIn(cwd: string): Promise<string[]> {
  const rows: { name: string }[] = JSON.parse(await output(["organizations", "list", "--json"], { cwd }));
  return rows.map(({ name }) => name);
}

/** Whether the text is in the database, in its WAL, or in any other of its files. */
function isStored(database: string, text: string): boolean {
  return ["", "-wal", "-shm", ".lock"]
    .map((suffix) => database + suffix)
    .some((file) => existsSync(file) && readFileSync(file).includes(text));
}

test.each([[[]], [["--json"]]])(
  "Without --yes %j, organizations delete says what it would delete, deletes nothing: exit 2",
  async (flags) => {
    const { cwd, ask: send } = await twoOrganizations();
    const { code, stdout, stderr } = await run(["organizations", "delete", "acme", ...flags], { cwd });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    const message =
      "This deletes organization 1, Acme, with all of its data (accounts: 2, keys: 1), for good. Add --yes to do it.";
    if (flags.length === 0) expect(stderr).toStartWith(`${message}\n`);
    else expect(JSON.parse(stderr)).toEqual({ error: { code: "confirmation_required", message } });
    expect(await namesIn(cwd)).toEqual(["Acme", "Zenith"]);
    expect((await send("GET", path)).body.pagination.total).toBe(2);
  },
);

test("organizations delete --yes next to a server deletes the organization in it, and no other", async () => {
  const { cwd, url, database, zenith, ask: send } = await twoOrganizations();
  // The names are in the search index in memory.
  expect((await send("GET", `${path}?search=${marker}`)).body.pagination.total).toBe(2);
  expect(isStored(database, marker)).toBe(true);
  const deleted = await output(["organizations", "delete", "ACME", "--yes"], { cwd });
  expect(deleted).toBe("Organization 1, Acme, is deleted.");
  expect((await send("GET", path)).status).toBe(401);
  expect((await ask(url, zenith, "GET", path)).body.data).toMatchObject([{ name: "Other" }]);
  expect(await namesIn(cwd)).toEqual(["Zenith"]);
  expect(isStored(database, marker)).toBe(false);
  // The name is free, and the new organization of that name is empty.
  const again = JSON.parse(await output(["organizations", "create", "Acme", "--json"], { cwd }));
  expect(again).toMatchObject({ id: 3, name: "Acme" });
  const key = await output(["keys", "create", "--organization", "Acme"], { cwd });
  expect((await ask(url, key, "GET", `${path}?search=${marker}`)).body.pagination.total).toBe(0);
});

test("organizations delete --yes without a server does the same", async () => {
  const { cwd, server, database, zenith } = await twoOrganizations();
  await server.stop();
  const deleted = JSON.parse(await output(["organizations", "delete", "1", "--yes", "--json"], { cwd }));
  expect(deleted).toEqual({ id: 1, name: "Acme", createdAt: expect.stringMatching(/^\d{4}-.*Z$/) });
  expect(await namesIn(cwd)).toEqual(["Zenith"]);
  expect(isStored(database, marker)).toBe(false);
  const { url } = await start(["serve", "--port", "0"], { cwd });
  expect((await ask(url, zenith, "GET", path)).body.data).toMatchObject([{ name: "Other" }]);
});

test("An organization that is not there is not found, with and without --yes", async () => {
  const { cwd, server } = await service();
  for (const flags of [[], ["--yes"]]) {
    const { code, stdout, stderr } = await run(["organizations", "delete", "Nobody", ...flags], { cwd });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toBe("There is no organization Nobody. accountd organizations list shows them.\n");
  }
  await server.stop();
  const { stderr } = await run(["organizations", "delete", "Nobody", "--yes", "--json"], { cwd });
  expect(JSON.parse(stderr).error.code).toBe("not_found");
  expect(await namesIn(cwd)).toEqual(["Acme"]);
});

test("A server that has no socket is not gone around: the deletion is refused", async () => {
  const cwd = folder();
  await output(["organizations", "create", "Acme"], { cwd });
  // What holds the lock and has no socket, as a server has none where it cannot be created.
  const { release } = lockDatabase(join(cwd, "data/accountd.db"));
  const refused = await run(["organizations", "delete", "Acme", "--yes"], { cwd });
  release();
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toContain("in use by another accountd. Stop it first.");
  expect(isOneLine(refused.stderr), refused.stderr).toBe(true);
  expect(await namesIn(cwd)).toEqual(["Acme"]);
});
