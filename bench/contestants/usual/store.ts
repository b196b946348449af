import { Database } from "bun:sqlite";
import { readFileSync } from "node:fs";
import { and, asc, count, desc, eq, gt, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/bun-sqlite";
import { fold } from "../../../src/core/folding.ts";
import { accounts, apiKeys, contacts, meetings, requests } from "./tables.ts";

const client = new Database(process.env.DATABASE);
client.run(readFileSync(new URL("../connection.sql", import.meta.url), "utf8"));
client.run(`PRAGMA synchronous = ${process.env.SYNCHRONOUS}`);
export const db = drizzle({ client });

export type Account = typeof accounts.$inferSelect;

export function organizationOf(secret: string): number | undefined {
  const hash = new Bun.CryptoHasher("sha256").update(secret).digest("hex");
  const inTime = or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, new Date()));
  const key = db
    .select()
    .from(apiKeys)
    .where(and(eq(apiKeys.hash, hash), isNull(apiKeys.revokedAt), inTime))
    .get();
  return key?.organizationId;
}

export function getAccount(organizationId: number, id: number) {
  const account = find(organizationId, id);
  if (!account) return undefined;
  return {
    account,
    contacts: db
      .select()
      .from(contacts)
      .where(eq(contacts.accountId, id))
      .orderBy(asc(contacts.id))
      .limit(100)
      .all(),
    meetings: db
      .select()
      .from(meetings)
      .where(and(eq(meetings.accountId, id), lte(meetings.startAt, new Date())))
      .orderBy(desc(meetings.startAt), desc(meetings.id))
      .limit(20)
      .all(),
    requests: db
      .select()
      .from(requests)
      .where(eq(requests.accountId, id))
      .orderBy(desc(requests.requestedAt), desc(requests.id))
      .limit(100)
      .all(),
  };
}

function find(organizationId: number, id: number): Account | undefined {
  return db
    .select()
    .from(accounts)
    .where(and(eq(accounts.organizationId, organizationId), eq(accounts.id, id)))
    .get();
}

const orders = {
  name: accounts.foldedName,
  mrr: accounts.mrr,
  createdAt: accounts.createdAt,
  updatedAt: accounts.updatedAt,
};
export type ListQuery = {
  page: number;
  pageSize: number;
  search?: string | undefined;
  externalId?: string | undefined;
  status?: Account["status"] | undefined;
  sortBy: keyof typeof orders;
  sortOrder: "asc" | "desc";
};

export function listAccounts(organizationId: number, query: ListQuery) {
  const { page, pageSize, search, externalId, status } = query;
  const direction = query.sortOrder === "asc" ? asc : desc;
  const where = and(
    eq(accounts.organizationId, organizationId),
    search ? or(holds(accounts.foldedName, search), holds(accounts.foldedExternalId, search)) : undefined,
    externalId === undefined ? undefined : eq(accounts.externalId, externalId),
    status === undefined ? undefined : eq(accounts.status, status),
  );
  const rows = db
    .select()
    .from(accounts)
    .where(where)
    .orderBy(direction(orders[query.sortBy]), direction(accounts.id))
    .limit(pageSize)
    .offset((page - 1) * pageSize)
    .all();
  const total = db.select({ count: count() }).from(accounts).where(where).get()?.count ?? 0;
  return { rows, total };
}

/** Drizzle's own `like` has no ESCAPE, without which a % in the search would mean anything. */
function holds(column: (typeof accounts)["foldedName" | "foldedExternalId"], search: string): SQL {
  const pattern = `%${fold(search).replace(/[\\%_]/g, "\\$&")}%`;
  return sql`${column} like ${pattern} escape '\\'`;
}

type NewAccount = Pick<Account, "name" | "mrr" | "status"> & {
  externalId?: string | undefined;
  contactName?: string | undefined;
  contactEmail?: string | undefined;
};

export function createAccount(organizationId: number, { contactName, contactEmail, ...given }: NewAccount) {
  const [externalId, now] = [given.externalId || null, new Date()];
  const texts = { ...given, externalId, ...folded(given.name, externalId) };
  const row = { ...texts, organizationId, createdAt: now, updatedAt: now };
  const name = contactName ?? contactEmail;
  if (name === undefined) return db.insert(accounts).values(row).returning().get();
  return db.transaction((tx) => {
    const account = tx.insert(accounts).values(row).returning().get();
    tx.insert(contacts)
      .values({ accountId: account.id, name, email: contactEmail ?? null })
      .run();
    return account;
  });
}

export function updateAccount(organizationId: number, id: number, changes: Partial<Account>) {
  const account = find(organizationId, id);
  if (!account) return undefined;
  const after = { ...account, ...changes };
  if (JSON.stringify(after) === JSON.stringify(account)) return account;
  return db
    .update(accounts)
    .set({
      ...changes,
      ...folded(after.name, after.externalId),
      updatedAt: new Date(Math.max(Date.now(), account.updatedAt.getTime() + 1)),
    })
    .where(and(eq(accounts.organizationId, organizationId), eq(accounts.id, id)))
    .returning()
    .get();
}

function folded(name: string, externalId: string | null) {
  return { foldedName: fold(name), foldedExternalId: externalId === null ? null : fold(externalId) };
}
