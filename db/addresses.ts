import { type SQL, sql } from "drizzle-orm";
import { either } from "./dialects.ts";
import { allOf, type Column, textInput } from "./expressions.ts";
import { contacts } from "./schema.ts";

// The folded address of a contact is unique in its account. Where a migration joined the addresses of several contacts,
// all but one have a blank and their id after it. No address has a blank.

/** The folded address of a column, without the id of a contact. */
export function withoutContactId(column: Column): SQL<string> {
  return either({
    sqlite: sql<string>`substr(${column}, 1, instr(${column} || ' ', ' ') - 1)`,
    postgres: sql<string>`split_part(${column}, ' ', 1)`,
  });
}

/** The condition that a contact has the folded address of the input. The range is read from an index. */
export function hasFoldedAddress(name: string): SQL {
  const [column, address] = [contacts.foldedEmail, textInput(name)];
  return allOf(
    sql`${column} >= ${address}`,
    // The character after the blank.
    sql`${column} < ${address} || '!'`,
    sql`${withoutContactId(column)} = ${address}`,
  );
}

/** The contacts with such an id, one text each. */
export const sharedAddresses = `SELECT 'organization ' || organization_id || ', account ' || account_id || ', contact ' || id
  || ': another contact of the account had the same address at an upgrade'
  FROM contacts WHERE folded_email LIKE '% %' ORDER BY id`;
