import { asc, eq, isNull, type SQL } from "drizzle-orm";
import type { Engine, Reader, Snapshot, Transaction } from "../../db/engine.ts";
import { UniqueViolation } from "../../db/errors.ts";
import { allOf, inputs, integerInput, pick, textInput } from "../../db/expressions.ts";
import { healthSettings, organizations } from "../../db/schema.ts";
import { insert, type Row, select, update } from "../../db/statements.ts";
import { invalidField, Problem, unauthorized } from "../core/errors.ts";
import { fold } from "../core/folding.ts";
import { OperatorError } from "../core/settings/operator-error.ts";
import { selectOrganization, updateOrganization } from "../core/tenant/statements.ts";
import type { TenantSnapshot, TenantTransaction } from "../core/tenant/transaction.ts";
import { currencies } from "../shared/currencies.ts";

const organizationFields = pick(organizations, "id", "name", "createdAt");
export type Organization = Row<typeof organizationFields>;

/** For a transaction that belongs to no organization, because it creates one. */
const NO_ORGANIZATION = 0;

const insertOrganization = insert("organizations.insert", {
  into: organizations,
  values: inputs(organizations, "name", "foldedName", "createdAt"),
});
/** The row that the first meeting and the first request mark. */
const insertHealthSettings = insert("organizations.insertHealthSettings", {
  into: healthSettings,
  values: inputs(healthSettings, "organizationId"),
});
const ofTenant = selectOrganization("organizations.ofTenant", {
  fields: pick(organizations, "id", "name", "currency", "numberFormat"),
  from: organizations,
});
const setFormats = updateOrganization("organizations.setFormats", {
  table: organizations,
  set: inputs(organizations, "currency", "numberFormat"),
});
const setName = update("organizations.rename", {
  table: organizations,
  set: inputs(organizations, "name", "foldedName"),
  where: allOf(eq(organizations.id, integerInput("id")), isNull(organizations.deletedAt)),
});
const visibleWhere = (name: string, condition?: SQL) =>
  select(`organizations.${name}`, {
    fields: organizationFields,
    from: organizations,
    where: allOf(isNull(organizations.deletedAt), condition),
    orderBy: [asc(organizations.id)],
  });
const organizationById = visibleWhere("byId", eq(organizations.id, integerInput("id")));
const organizationByName = visibleWhere("byName", eq(organizations.foldedName, textInput("foldedName")));
const visibleOrganizations = visibleWhere("all");

/**
 * Creates an organization. Outer blanks of the name are removed. Throws OperatorError when the name is in use (in any
 * letter case) or invalid.
 */
export function createOrganization(engine: Engine, name: string): Promise<Organization> {
  return engine.write(NO_ORGANIZATION, (tx) => insertOrganizationRow(tx, name));
}

/** `createOrganization` in a transaction. */
export async function insertOrganizationRow(tx: Transaction, untrimmedName: string): Promise<Organization> {
  const name = validName(untrimmedName);
  if (await findByName(tx, name)) throw nameTaken(name);
  try {
    const row = { name, createdAt: tx.now };
    const id = await tx.insert(insertOrganization, { ...row, foldedName: fold(name) });
    await tx.run(insertHealthSettings, { organizationId: id });
    return { id, ...row };
  } catch (error) {
    throw error instanceof UniqueViolation ? nameTaken(name) : error;
  }
}

/** Renames an organization. Returns the name without outer blanks. Throws OperatorError as `createOrganization` does. */
export function renameOrganization(engine: Engine, id: number, untrimmedName: string): Promise<string> {
  const name = validName(untrimmedName);
  return engine.write(id, async (tx) => {
    const other = await findByName(tx, name);
    if (other && other.id !== id) throw nameTaken(name);
    try {
      await tx.run(setName, { id, name, foldedName: fold(name) });
    } catch (error) {
      throw error instanceof UniqueViolation ? nameTaken(name) : error;
    }
    return name;
  });
}

function nameTaken(name: string): OperatorError {
  return new OperatorError("name_taken", `There is an organization named ${name} already.`);
}

/** The organization with this id (plain digits) or this name, in any letter case and without outer blanks. */
export function findOrganization(reader: Reader, nameOrId: string): Promise<Organization | undefined> {
  return reader.read((snapshot) => findVisibleOrganization(snapshot, nameOrId));
}

/** `findOrganization`. Throws OperatorError when there is none. */
export async function requireOrganization(reader: Reader, nameOrId: string): Promise<Organization> {
  const organization = await findOrganization(reader, nameOrId);
  if (!organization) throw unknownOrganization(nameOrId);
  return organization;
}

export function unknownOrganization(nameOrId: string): OperatorError {
  const advice = "accountd organizations list shows them.";
  return new OperatorError("not_found", `There is no organization ${nameOrId}. ${advice}`);
}

/** `findOrganization` in a snapshot or a transaction. */
export function findVisibleOrganization(
  snapshot: Snapshot,
  nameOrId: string,
): Promise<Organization | undefined> {
  const text = nameOrId.trim();
  if (/^\d{1,15}$/.test(text)) return snapshot.first(organizationById, { id: Number(text) });
  return findByName(snapshot, text);
}

/** `name` has no outer blanks. */
async function findByName(snapshot: Snapshot, name: string): Promise<Organization | undefined> {
  const foldedName = fold(name);
  const organization = await snapshot.first(organizationByName, { foldedName });
  if (organization) return organization;
  // A stored name may have outer blanks.
  const all = await snapshot.all(visibleOrganizations, {});
  return all.find((candidate) => fold(candidate.name.trim()) === foldedName);
}

/** The organization of a tenant. Throws `unauthorized` when it was deleted meanwhile. */
export async function readOrganization(snapshot: TenantSnapshot) {
  const organization = await snapshot.first(ofTenant, {});
  if (!organization) throw unauthorized();
  return organization;
}

/**
 * Updates the fields that are present. Throws `no_valid_fields` without fields, and `invalid_request` for an unknown
 * currency and for a number format that is not a BCP 47 tag.
 */
export async function changeOrganization(
  tx: TenantTransaction,
  changes: { currency?: string | null; numberFormat?: string | null },
) {
  if (changes.currency === undefined && changes.numberFormat === undefined)
    throw new Problem("no_valid_fields");
  const { currency, numberFormat } = { ...(await readOrganization(tx)), ...changes };
  if (currency !== null && !currencies.includes(currency))
    throw invalidField("/currency", "not_allowed", "must be the code of a currency by ISO 4217, such as EUR");
  await tx.run(setFormats, {
    currency,
    numberFormat: numberFormat === null ? null : canonicalTag(numberFormat),
  });
  return readOrganization(tx);
}

/** The canonical form of a BCP 47 tag: `de-de` is `de-DE`. */
function canonicalTag(tag: string): string {
  try {
    const [canonical = tag] = Intl.getCanonicalLocales(tag);
    // The canonical form can be longer: `islamicc` is `islamic-civil`.
    if (canonical.length <= 35) return canonical;
  } catch {}
  const detail = "must be a language tag by BCP 47 of at most 35 characters, such as de-DE or en-US";
  throw invalidField("/numberFormat", "not_allowed", detail);
}

/** The organizations that are not being deleted, oldest first. */
export function listOrganizations(reader: Reader): Promise<Organization[]> {
  return reader.read((snapshot) => snapshot.all(visibleOrganizations, {}));
}

/** The name without outer blanks. Throws OperatorError. */
function validName(untrimmedName: string): string {
  const name = untrimmedName.trim();
  const problem = nameProblem(name);
  if (problem) throw new OperatorError("invalid_name", problem);
  return name;
}

function nameProblem(name: string): string | undefined {
  if (!/\S/.test(name)) return "The name is blank.";
  if ([...name].length > 255) return "The name is longer than 255 characters.";
  if (/^\d+$/.test(name)) return "The name consists of digits only, as an id does.";
  if (/\p{Cc}/u.test(name) || !name.isWellFormed()) return "The name contains control characters.";
  return undefined;
}
