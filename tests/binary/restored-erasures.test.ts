import { expect, setDefaultTimeout, test } from "bun:test";
import { appendFileSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { output, run } from "./binary.ts";
import { accounts, backedUp, damageTables, namesIn } from "./restored.ts";
import { sendRequest, service } from "./service.ts";

setDefaultTimeout(60_000);

test("restore says which keys were created and revoked since, and erases again who was erased since", async () => {
  const { cwd, send, server } = await backedUp();
  const first = JSON.parse(await output(["keys", "list", "--json"], { cwd }))[0];
  const created = JSON.parse(
    await output(["keys", "create", "--organization", "Acme", "--name", "new", "--json"], { cwd }),
  );
  await send("PATCH", "/api/v1/contacts/1", { email: "ada@new.example" });
  const erasure = await run(["keys", "create", "--organization", "Acme", "--scope", "admin", "--json"], {
    cwd,
  });
  const admin = JSON.parse(erasure.stdout);
  const erased = await sendRequest(server.url, admin.key, "POST", "/api/v1/erasures", {
    email: "ada@new.example",
  });
  expect(erased.body.data.contacts).toBe(1);
  await output(["keys", "revoke", String(first.id)], { cwd });
  await server.stop();
  const restored = JSON.parse(await output(["restore", "b.db", "--force", "--json"], { cwd }));
  const nameOf = ({ id, name, lastFour }: { id: number; name: string; lastFour: string }) => ({
    ...{ id, organization: "Acme", name, lastFour },
  });
  expect(restored.keysCreatedSince).toEqual([nameOf(created), nameOf(admin)]);
  expect(restored.keysRevokedSince).toEqual([nameOf(first)]);
  expect(restored.personsErasedAgain).toBe(1);
  const contacts = ["export", "--organization", "Acme", "--resource", "contacts", "--format", "jsonl"];
  expect(await output(contacts, { cwd })).toBe("");
  expect(readFileSync(join(cwd, "data/accountd.db")).includes("ada@x.example")).toBe(false);
  expect(await output(["check"], { cwd })).toBe("data/accountd.db is sound.");
});

test("without the database before, persons are erased again by the log next to the backups of the server", async () => {
  const { cwd, key, server, send } = await service({ BACKUP_DIR: "backups" });
  const admin = JSON.parse(
    await output(["keys", "create", "--organization", "Acme", "--scope", "admin", "--json"], { cwd }),
  );
  await send("POST", accounts, { name: "Kept", externalId: "kept", contactEmail: "Ada@x.example" });
  await send("POST", accounts, { name: "Other", contactEmail: "bob@x.example" });
  const timestamp = new Date().toISOString();
  const event = (userId: string) => ({ externalId: "kept", event: "opened", userId, timestamp });
  expect((await send("POST", "/api/v1/events", { events: [event("u7"), event("u8")] })).status).toBe(200);
  await output(["backup", "backups/b.db"], { cwd });
  for (const person of [{ email: "ada@x.example" }, { userId: "u7" }])
    expect((await sendRequest(server.url, admin.key, "POST", "/api/v1/erasures", person)).status).toBe(200);
  await server.stop();
  const log = readFileSync(join(cwd, "backups/erasures.log"), "utf8");
  expect(log).not.toMatch(/ada@|u7/i);
  rmSync(join(cwd, "data"), { recursive: true });
  const restored = JSON.parse(await output(["restore", "backups/b.db", "--json"], { cwd }));
  expect(restored.personsErasedAgain).toBe(2);
  const rows = async (resource: string) =>
    (await output(["export", "--organization", "Acme", "--resource", resource, "--format", "jsonl"], { cwd }))
      .split("\n")
      .map((line) => JSON.parse(line));
  expect((await rows("contacts")).map(({ email }) => email)).toEqual(["bob@x.example"]);
  expect((await rows("events")).map(({ userId }) => userId)).toEqual([null, "u8"]);
  expect(await namesIn(cwd, key)).toHaveLength(2);
});

test("a database with damaged keys and changes is replaced, and persons are erased again by the log", async () => {
  const { cwd, key, server, send, database } = await backedUp({ BACKUP_DIR: "." });
  const admin = await output(["keys", "create", "--organization", "Acme", "--scope", "admin"], { cwd });
  const person = { email: "ada@x.example" };
  expect((await sendRequest(server.url, admin, "POST", "/api/v1/erasures", person)).status).toBe(200);
  // Other organizations change something later, and before the backup has the erasure.
  await send("POST", accounts, { name: "Later" });
  await server.stop();
  damageTables(database, ["api_keys", "changes"]);
  const restored = JSON.parse(await output(["restore", "b.db", "--force", "--json"], { cwd }));
  expect(restored).toMatchObject({ accounts: 1, keysCreatedSince: null, keysRevokedSince: null });
  expect(restored.personsErasedAgain).toBe(1);
  expect(await namesIn(cwd, key)).toEqual(["Kept"]);
});

test("an erasure that a backup may have in part is repeated, also after a line that was cut", async () => {
  const { cwd, key, server, send } = await service({ BACKUP_DIR: "backups" });
  const admin = await output(["keys", "create", "--organization", "Acme", "--scope", "admin"], { cwd });
  await send("POST", accounts, { name: "Kept", contactEmail: "ada@x.example" });
  await Bun.sleep(5);
  appendFileSync(join(cwd, "backups/erasures.log"), '{"time":"2026-');
  const erase = (email: string) => sendRequest(server.url, admin, "POST", "/api/v1/erasures", { email });
  // The log has the erasure before its rows are erased.
  await erase("Ada@X.example");
  await send("POST", accounts, { name: "Later", contactEmail: "ada@x.example" });
  await output(["backup", "backups/b.db"], { cwd });
  await server.stop();
  rmSync(join(cwd, "data"), { recursive: true });
  expect(await output(["restore", "backups/b.db"], { cwd })).toEndWith(
    "Persons who were erased after the backup and are erased again: 1. Lines of erasures.log that cannot be read: 1.",
  );
  expect(await namesIn(cwd, key)).toHaveLength(2);
  const contacts = ["export", "--organization", "Acme", "--resource", "contacts", "--format", "jsonl"];
  expect(await output(contacts, { cwd })).toBe("");
});
