import { Database } from "bun:sqlite";
import { readFileSync } from "node:fs";
import { formatTimestamp } from "../../../src/core/timestamps.ts";

export const db = new Database(process.env.DATABASE);
db.run(readFileSync(new URL("../connection.sql", import.meta.url), "utf8"));
db.run("PRAGMA synchronous = FULL");

const keyByHash = db.prepare<{ organization_id: number }, [string, number]>(
  `SELECT organization_id FROM api_keys
   WHERE hash = ?1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?2)`,
);

/** The organization of a key that may be used now. */
export function organizationOf(secret: string): number | undefined {
  return keyByHash.get(Bun.SHA256.hash(secret, "hex"), Date.now())?.organization_id;
}

/** An account as `shown` lists its columns. */
export type Shown = [
  id: number,
  name: string,
  externalId: string | null,
  mrr: number,
  status: string,
  logoUrl: string | null,
  contactActivityAt: number | null,
  createdAt: number,
  updatedAt: number,
];
export const shown =
  "id, name, external_id, mrr, status, logo_url, contact_activity_at, created_at, updated_at";

export type Sql<Row extends unknown[]> = { values(...given: (string | number | null)[]): Row[] };

/** A statement whose rows are arrays. */
export function prepare<Row extends unknown[]>(sql: string): Sql<Row> {
  // Safe: the caller names the columns and their types side by side.
  return db.prepare(sql) as unknown as Sql<Row>;
}

export function membersBefore([id, name, externalId, mrr, status]: Shown): string {
  return `"id":${id},"name":${JSON.stringify(name)},"externalId":${JSON.stringify(externalId)},"mrr":${mrr},"active":${status === "active"},"churned":${status === "churned"},"onboarding":${status === "onboarding"}`;
}

export function membersAfter(row: Shown): string {
  return `"createdAt":"${formatTimestamp(row[7])}","updatedAt":"${formatTimestamp(row[8])}"`;
}

export function membersOfListed(row: Shown): string {
  return `${membersBefore(row)},"logoUrl":${JSON.stringify(row[5])},${membersAfter(row)}`;
}
