import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { output, start } from "./binary.ts";
import { sendRequest, service } from "./service.ts";

export const accounts = "/api/v1/accounts";

/** A service with a backup of one account and a second account since; the server has stopped. */
export async function backedUp(env: Record<string, string> = {}) {
  const here = await service(env);
  const contact = { contactName: "Ada", contactEmail: "ada@x.example" };
  await here.send("POST", accounts, { name: "Kept", ...contact });
  await output(["backup", "b.db"], { cwd: here.cwd });
  const created = await here.send("POST", accounts, { name: "Lost" });
  expect(created.status).toBe(201);
  return here;
}

export async function namesIn(cwd: string, key: string): Promise<string[]> {
  const server = await start(["serve", "--port", "0"], { cwd });
  const { body } = await sendRequest(server.url, key, "GET", accounts);
  await server.stop();
  return body.data.map(({ name }: { name: string }) => name);
}

/** Overwrites the leaf pages of tables. */
export function damageTables(database: string, tables: readonly string[]): void {
  const client = new Database(database, { strict: true });
  client.run("PRAGMA wal_checkpoint(TRUNCATE)");
  const roots = tables.map(
    (table) =>
      client
        .query<{ rootpage: number }, [string]>("SELECT rootpage FROM sqlite_schema WHERE name = ?")
        .get(table)?.rootpage ?? 0,
  );
  client.close();
  const bytes = readFileSync(database);
  for (const root of roots) bytes.fill(0xab, 4_096 * (root - 1), 4_096 * root);
  writeFileSync(database, bytes);
}
