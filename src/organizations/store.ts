import { asc, eq } from "drizzle-orm";
import { violatedUniqueIndex } from "../../db/errors.ts";
import { organizations } from "../../db/schema.ts";
import type { Engine } from "../../db/sqlite/engine.ts";
import { inputs, insert, integerInput, type Row, select, textInput } from "../../db/statements.ts";
import { fold } from "../core/folding.ts";

const organizationFields = {
  id: organizations.id,
  name: organizations.name,
  createdAt: organizations.createdAt,
};
export type Organization = Row<typeof organizationFields>;

const insertOrganization = insert({
  into: organizations,
  values: inputs("name", "foldedName", "createdAt"),
  returning: organizationFields,
});
const organizationById = select({
  fields: organizationFields,
  from: organizations,
  where: eq(organizations.id, integerInput("id")),
});
const organizationByName = select({
  fields: organizationFields,
  from: organizations,
  where: eq(organizations.foldedName, textInput("foldedName")),
});
const everyOrganization = select({
  fields: organizationFields,
  from: organizations,
  orderBy: [asc(organizations.id)],
});

/** A name that cannot be an organization's: the message says why. */
export class InvalidName extends Error {}

/** Makes an organization. Throws NameRefused when the name is taken (in any letter case), blank, or a number. */
export async function createOrganization(engine: Engine, name: string, now: number): Promise<Organization> {
  const problem = nameProblem(name);
  if (problem) throw new InvalidName(problem);
  try {
    const row = { name, foldedName: fold(name), createdAt: now };
    const organization = await engine.write((writer) => writer.first(insertOrganization, row));
    if (!organization) throw new Error("the inserted organization was not returned");
    return organization;
  } catch (error) {
    if (violatedUniqueIndex(error)) throw new InvalidName(`There is an organization named ${name} already.`);
    throw error;
  }
}

/** The organization with this id (plain digits) or this name, in any letter case. */
export function findOrganization(engine: Engine, nameOrId: string): Promise<Organization | undefined> {
  if (/^\d{1,15}$/.test(nameOrId)) return engine.first(organizationById, { id: Number(nameOrId) });
  return engine.first(organizationByName, { foldedName: fold(nameOrId) });
}

export function listOrganizations(engine: Engine): Promise<Organization[]> {
  return engine.all(everyOrganization, {});
}

function nameProblem(name: string): string | undefined {
  if (!/\S/.test(name)) return "The name is blank.";
  if ([...name].length > 255) return "The name is longer than 255 characters.";
  if (/^\d+$/.test(name)) return "A name of digits alone would be taken for an id.";
  if (/\p{Cc}/u.test(name) || !name.isWellFormed()) return "The name holds control characters.";
  return undefined;
}
