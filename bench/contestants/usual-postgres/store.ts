import { and, asc, count, desc, eq, gt, isNull, like, lte, or } from "drizzle-orm";
import { drizzle } from "drizzle-orm/bun-sql";
import { fold } from "../../../src/core/folding.ts";
import type { ListQuery } from "../usual/store.ts";
import { accounts, apiKeys, contacts, meetings, requests } from "./tables.ts";

export const db = drizzle({ connection: { url: process.env.DATABASE ?? "", max: 8 } });

type AccountRow = typeof accounts.$inferSelect;

export async function organizationOf(secret: string): Promise<number | undefined> {
  const hash = new Bun.CryptoHasher("sha256").update(secret).digest("hex");
  const inTime = or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, new Date()));
  const [key] = await db
    .select()
    .from(apiKeys)
    .where(and(eq(apiKeys.hash, hash), isNull(apiKeys.revokedAt), inTime));
  return key?.organizationId;
}

export async function getAccount(organizationId: number, id: number) {
  const account = await find(organizationId, id);
  if (!account) return undefined;
  return {
    account,
    contacts: await db
      .select()
      .from(contacts)
      .where(and(eq(contacts.organizationId, organizationId), eq(contacts.accountId, id)))
      .orderBy(asc(contacts.id))
      .limit(100),
    meetings: await db
      .select()
      .from(meetings)
      .where(
        and(
          eq(meetings.organizationId, organizationId),
          eq(meetings.accountId, id),
          lte(meetings.startAt, new Date()),
        ),
      )
      .orderBy(desc(meetings.startAt), desc(meetings.id))
      .limit(20),
    requests: await db
      .select()
      .from(requests)
      .where(and(eq(requests.organizationId, organizationId), eq(requests.accountId, id)))
      .orderBy(desc(requests.requestedAt), desc(requests.id))
      .limit(100),
  };
}

async function find(organizationId: number, id: number): Promise<AccountRow | undefined> {
  const [account] = await db
    .select()
    .from(accounts)
    .where(and(eq(accounts.organizationId, organizationId), eq(accounts.id, id)));
  return account;
}

const orders = {
  name: accounts.foldedName,
  mrr: accounts.mrr,
  createdAt: accounts.createdAt,
  updatedAt: accounts.updatedAt,
};

export async function listAccounts(organizationId: number, query: ListQuery) {
  const { page, pageSize, search, externalId, status } = query;
  const direction = query.sortOrder === "asc" ? asc : desc;
  const pattern = search && `%${fold(search).replace(/[\\%_]/g, "\\$&")}%`;
  const where = and(
    eq(accounts.organizationId, organizationId),
    pattern ? or(like(accounts.foldedName, pattern), like(accounts.foldedExternalId, pattern)) : undefined,
    externalId === undefined ? undefined : eq(accounts.externalId, externalId),
    status === undefined ? undefined : eq(accounts.status, status),
  );
  const rows = await db
    .select()
    .from(accounts)
    .where(where)
    .orderBy(direction(orders[query.sortBy]), direction(accounts.id))
    .limit(pageSize)
    .offset((page - 1) * pageSize);
  const [total] = await db.select({ count: count() }).from(accounts).where(where);
  return { rows, total: total?.count ?? 0 };
}

type NewAccount = Pick<AccountRow, "name" | "mrr" | "status"> & {
  externalId?: string | undefined;
  contactName?: string | undefined;
  contactEmail?: string | undefined;
};

export function createAccount(
  organizationId: number,
  { contactName, contactEmail, ...input }: NewAccount,
): Promise<AccountRow> {
  const [externalId, now] = [input.externalId || null, new Date()];
  const times = { createdAt: now, updatedAt: now };
  const texts = { ...input, externalId, ...folded(input.name, externalId) };
  const name = contactName ?? contactEmail;
  return db.transaction(async (tx) => {
    const [account] = await tx
      .insert(accounts)
      .values({ ...texts, organizationId, ...times })
      .returning();
    if (!account) throw new Error("the account was not inserted");
    if (name !== undefined)
      await tx.insert(contacts).values({
        ...{ organizationId, accountId: account.id, name, foldedName: fold(name), ...times },
        email: contactEmail ?? null,
        foldedEmail: contactEmail === undefined ? null : fold(contactEmail),
      });
    return account;
  });
}

export function updateAccount(organizationId: number, id: number, changes: Partial<AccountRow>) {
  const isAccount = and(eq(accounts.organizationId, organizationId), eq(accounts.id, id));
  return db.transaction(async (tx) => {
    const [account] = await tx.select().from(accounts).where(isAccount).for("update");
    if (!account) return undefined;
    const after = { ...account, ...changes };
    if (JSON.stringify(after) === JSON.stringify(account)) return account;
    const [updated] = await tx
      .update(accounts)
      .set({
        ...changes,
        ...folded(after.name, after.externalId),
        updatedAt: new Date(Math.max(Date.now(), account.updatedAt.getTime() + 1)),
      })
      .where(isAccount)
      .returning();
    return updated;
  });
}

function folded(name: string, externalId: string | null) {
  return { foldedName: fold(name), foldedExternalId: externalId === null ? null : fold(externalId) };
}
