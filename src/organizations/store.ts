import { asc, eq, isNotNull, isNull } from "drizzle-orm";
import type { Engine, Reader, Snapshot, Transaction } from "../../db/engine.ts";
import { UniqueViolation } from "../../db/errors.ts";
import { allOf, inputs, integerInput, textInput } from "../../db/expressions.ts";
import { organizations } from "../../db/schema.ts";
import { insert, type Row, select } from "../../db/statements.ts";
import { fold } from "../core/folding.ts";
import { OperatorError } from "../core/operator-error.ts";

const organizationFields = {
  id: organizations.id,
  name: organizations.name,
  createdAt: organizations.createdAt,
};
export type Organization = Row<typeof organizationFields>;

/** For a transaction that belongs to no organization, because it creates one. */
const NO_ORGANIZATION = 0;

const insertOrganization = insert("organizations.insert", {
  into: organizations,
  values: inputs(organizations, "name", "foldedName", "createdAt"),
  returning: organizationFields,
});
const isVisible = isNull(organizations.deletedAt);
const organizationById = select("organizations.byId", {
  fields: organizationFields,
  from: organizations,
  where: allOf(eq(organizations.id, integerInput("id")), isVisible),
});
const organizationByName = select("organizations.byName", {
  fields: organizationFields,
  from: organizations,
  where: allOf(eq(organizations.foldedName, textInput("foldedName")), isVisible),
});
const orderBy = [asc(organizations.id)];
const visibleOrganizations = select("organizations.all", {
  fields: organizationFields,
  from: organizations,
  where: isVisible,
  orderBy,
});
const deletedOrganizations = select("organizations.deleted", {
  fields: organizationFields,
  from: organizations,
  where: isNotNull(organizations.deletedAt),
  orderBy,
});

/** Creates an organization. Throws OperatorError when the name is in use (in any letter case) or invalid. */
export function createOrganization(engine: Engine, name: string): Promise<Organization> {
  return engine.write(NO_ORGANIZATION, (tx) => insertOrganizationRow(tx, name));
}

/** The same, in a transaction. */
export async function insertOrganizationRow(tx: Transaction, name: string): Promise<Organization> {
  const problem = nameProblem(name);
  if (problem) throw new OperatorError("invalid_name", problem);
  try {
    const row = { name, foldedName: fold(name), createdAt: tx.now };
    const organization = await tx.first(insertOrganization, row);
    if (!organization) throw new Error("the inserted organization was not returned");
    return organization;
  } catch (error) {
    if (error instanceof UniqueViolation)
      throw new OperatorError("name_taken", `There is an organization named ${name} already.`);
    throw error;
  }
}

/** The organization with this id (plain digits) or this name, in any letter case. */
export function findOrganization(reader: Reader, nameOrId: string): Promise<Organization | undefined> {
  return reader.read((snapshot) => findVisibleOrganization(snapshot, nameOrId));
}

/** The same, in a snapshot or a transaction. */
export function findVisibleOrganization(
  snapshot: Snapshot,
  nameOrId: string,
): Promise<Organization | undefined> {
  if (/^\d{1,15}$/.test(nameOrId)) return snapshot.first(organizationById, { id: Number(nameOrId) });
  return snapshot.first(organizationByName, { foldedName: fold(nameOrId) });
}

/** All organizations, except those that are being deleted, oldest first. */
export function listOrganizations(reader: Reader): Promise<Organization[]> {
  return reader.read((snapshot) => snapshot.all(visibleOrganizations, {}));
}

/** The organizations that are being deleted. */
export function listDeletedOrganizations(engine: Engine): Promise<Organization[]> {
  return engine.read((snapshot) => snapshot.all(deletedOrganizations, {}));
}

function nameProblem(name: string): string | undefined {
  if (!/\S/.test(name)) return "The name is blank.";
  if ([...name].length > 255) return "The name is longer than 255 characters.";
  if (/^\d+$/.test(name)) return "A name of digits alone would be taken for an id.";
  if (/\p{Cc}/u.test(name) || !name.isWellFormed()) return "The name contains control characters.";
  return undefined;
}
