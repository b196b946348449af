import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { lockDatabase } from "../../db/sqlite/lock.ts";
import { folder, output, run } from "./binary.ts";
import { isOneLine, sendRequest, service } from "./service.ts";

setDefaultTimeout(60_000);

const path = "/api/v1/accounts";
const marker = "Quetzalcoatlus";

/** A running server with the organizations Acme, whose accounts contain the marker, and Zenith, each with a key. */
async function twoOrganizations() {
  const acme = await service();
  await output(["organizations", "create", "Zenith"], { cwd: acme.cwd });
  const zenith = await output(["keys", "create", "--organization", "Zenith"], { cwd: acme.cwd });
  for (const name of [`${marker} One`, `${marker} Two`])
    expect((await acme.send("POST", path, { name, externalId: name, contactName: marker })).status).toBe(201);
  expect((await sendRequest(acme.url, zenith, "POST", path, { name: "Other" })).status).toBe(201);
  return { ...acme, zenith };
}

async function namesIn(cwd: string): Promise<string[]> {
  const rows: { name: string }[] = JSON.parse(await output(["organizations", "list", "--json"], { cwd }));
  return rows.map(({ name }) => name);
}

/** Whether the text is in one of the files of the database. */
function isStored(database: string, text: string): boolean {
  return ["", "-wal", "-shm", ".lock"]
    .map((suffix) => database + suffix)
    .some((file) => existsSync(file) && readFileSync(file).includes(text));
}

test.concurrent.each([[[]], [["--json"]]])(
  "Without --yes %j, organizations delete prints what it would delete and deletes nothing: exit 2",
  async (flags) => {
    const { cwd, send } = await twoOrganizations();
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

test.concurrent("organizations delete --yes next to a server deletes only that organization, in the server", async () => {
  const { cwd, url, database, zenith, send } = await twoOrganizations();
  // The names are in the search index in memory.
  expect((await send("GET", `${path}?search=${marker}`)).body.pagination.total).toBe(2);
  expect(isStored(database, marker)).toBe(true);
  const deleted = await output(["organizations", "delete", "ACME", "--yes"], { cwd });
  expect(deleted).toBe("Organization 1, Acme, is deleted.");
  expect((await send("GET", path)).status).toBe(401);
  expect((await sendRequest(url, zenith, "GET", path)).body.data).toMatchObject([{ name: "Other" }]);
  expect(await namesIn(cwd)).toEqual(["Zenith"]);
  expect(isStored(database, marker)).toBe(false);
  // The name is free, and the new organization of that name is empty.
  const created = JSON.parse(await output(["organizations", "create", "Acme", "--json"], { cwd }));
  expect(created).toMatchObject({ id: 3, name: "Acme" });
  const key = await output(["keys", "create", "--organization", "Acme"], { cwd });
  expect((await sendRequest(url, key, "GET", `${path}?search=${marker}`)).body.pagination.total).toBe(0);
});

test.concurrent("A deletion next to a server without a socket fails", async () => {
  const cwd = folder();
  await output(["organizations", "create", "Acme"], { cwd });
  // This lock is like that of a server whose socket could not be created.
  const { release } = lockDatabase(join(cwd, "data/accountd.db"));
  const result = await run(["organizations", "delete", "Acme", "--yes"], { cwd });
  release();
  expect(result).toMatchObject({ code: 1, stdout: "" });
  expect(result.stderr).toContain("in use by another accountd. Stop it first.");
  expect(isOneLine(result.stderr), result.stderr).toBe(true);
  expect(await namesIn(cwd)).toEqual(["Acme"]);
});

test.concurrent("organizations set turns traits on and off, next to a server and without one", async () => {
  const { cwd, send, server } = await service();
  const call = { groupId: "acme", traits: { name: marker } };
  const receiptOf = async () => (await send("POST", "/v1/group", call)).body.data;
  expect(await receiptOf()).not.toHaveProperty("traits");
  const set = ["organizations", "set", "ACME", "--traits"];
  expect(await output([...set, "on"], { cwd })).toBe("Traits of organization 1, Acme, are on.");
  expect(await receiptOf()).toMatchObject({ ignored: 1, traits: 1 });
  await output([...set, "off"], { cwd });
  expect(await receiptOf()).not.toHaveProperty("traits");
  await server.stop();
  const json = JSON.parse(await output([...set, "on", "--json"], { cwd }));
  expect(json).toEqual({ id: 1, name: "Acme", traits: "on" });
});

test.concurrent("organizations set without on or off is exit 2; an unknown organization is exit 1", async () => {
  const cwd = folder();
  await output(["organizations", "create", "Acme"], { cwd });
  for (const flags of [[], ["--traits", "yes"], ["--traits="]]) {
    const { code, stderr } = await run(["organizations", "set", "Acme", ...flags], { cwd });
    expect([flags, code, stderr]).toEqual([flags, 2, expect.stringContaining("--traits must be on or off.")]);
  }
  const { code, stderr } = await run(["organizations", "set", "Nobody", "--traits", "on"], { cwd });
  expect(code).toBe(1);
  expect(stderr).toBe("There is no organization Nobody. accountd organizations list shows them.\n");
});
