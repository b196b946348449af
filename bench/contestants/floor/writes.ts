import { fold } from "../../../src/core/folding.ts";
import { formatNullable } from "../../../src/core/timestamps.ts";
import { db, membersAfter, membersBefore, prepare, type Shown, shown } from "./database.ts";

export type NewAccount = {
  name: string;
  externalId?: string;
  mrr?: number;
  status?: string;
  contactName?: string;
  contactEmail?: string;
};
export type Changes = Partial<{
  name: string;
  externalId: string | null;
  mrr: number;
  status: string;
  logoUrl: string | null;
  contactActivityAt: string | null;
}>;

const insertAccount = db.prepare(
  `INSERT INTO accounts (organization_id, name, folded_name, external_id, folded_external_id, mrr, status,
     created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?8, ?8)`,
);
const insertContact = db.prepare("INSERT INTO contacts (account_id, name, email) VALUES (?, ?, ?)");

export function createAccount(organizationId: number, given: NewAccount): Response {
  const { contactEmail = null, contactName = contactEmail } = given;
  const row =
    contactName === null
      ? insert(organizationId, given)
      : insertBoth(organizationId, given, contactName, contactEmail);
  return new Response(`{"data":{${membersBefore(row)},${membersAfter(row)}}}`, {
    status: 201,
    headers: { "content-type": "application/json", location: `/api/v1/accounts/${row[0]}` },
  });
}

const insertBoth = db.transaction(
  (organizationId: number, given: NewAccount, contactName: string, contactEmail: string | null) => {
    const row = insert(organizationId, given);
    insertContact.run(row[0], contactName, contactEmail);
    return row;
  },
).immediate;

function insert(organizationId: number, { name, mrr = 0, status = "active", ...given }: NewAccount): Shown {
  const externalId = given.externalId || null;
  const now = Date.now();
  const texts = [name, fold(name), externalId, externalId && fold(externalId)];
  const id = Number(insertAccount.run(organizationId, ...texts, mrr, status, now).lastInsertRowid);
  return [id, name, externalId, mrr, status, null, null, now, now];
}

const accountById = prepare<Shown>(`SELECT ${shown} FROM accounts WHERE organization_id = ? AND id = ?`);
const updateRow = db.prepare(
  `UPDATE accounts SET name = ?2, external_id = ?3, mrr = ?4, status = ?5, logo_url = ?6, contact_activity_at = ?7,
     updated_at = ?8, folded_name = ?9, folded_external_id = ?10
   WHERE id = ?1`,
);

/** The reply; empty when there is no such account. Nothing else writes between the two statements. */
export function updateAccount(organizationId: number, id: number, changes: Changes): string {
  const [before] = accountById.values(organizationId, id);
  if (!before) return "";
  const row = changed(before, changes);
  if (row.some((value, column) => value !== before[column])) {
    row[8] = Math.max(Date.now(), row[8] + 1);
    const [, name, externalId, mrr, status, logoUrl, activityAt, , updatedAt] = row;
    const rest = [mrr, status, logoUrl, activityAt, updatedAt, fold(name), externalId && fold(externalId)];
    updateRow.run(id, name, externalId, ...rest);
  }
  const activity = JSON.stringify(formatNullable(row[6]));
  return `{"data":{${membersBefore(row)},"contactActivityAt":${activity},${membersAfter(row)}}}`;
}

function changed([id, ...row]: Shown, changes: Changes): Shown {
  const [name, externalId, mrr, status, logoUrl, activityAt, createdAt, updatedAt] = row;
  const { contactActivityAt: at } = changes;
  const moment = at ? Date.parse(at) : null;
  return [
    id,
    changes.name ?? name,
    changes.externalId === undefined ? externalId : changes.externalId || null,
    changes.mrr ?? mrr,
    changes.status ?? status,
    changes.logoUrl === undefined ? logoUrl : changes.logoUrl,
    at === undefined ? activityAt : moment,
    createdAt,
    updatedAt,
  ];
}
