import { readFileSync } from "node:fs";
import Database from "better-sqlite3";

export const db = new Database(process.env.DATABASE);
db.exec(readFileSync(new URL("../connection.sql", import.meta.url), "utf8"));
db.pragma("synchronous = FULL");

const keyByHash = db.prepare("SELECT organization_id, expires_at, revoked_at FROM api_keys WHERE hash = ?");

/** The organization of the key with this hash, if the key may be used now. */
export function organizationOf(hash) {
  const key = keyByHash.get(hash);
  if (!key || key.revoked_at !== null) return undefined;
  return key.expires_at === null || key.expires_at > Date.now() ? key.organization_id : undefined;
}
