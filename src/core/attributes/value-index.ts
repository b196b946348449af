import { eq, isNotNull, type SQL, sql } from "drizzle-orm";
import { allOf, textInput } from "../../../db/expressions.ts";
import { type AttributeResource, attributeValues } from "../../../db/schema.ts";

const { resource, name, text, number } = attributeValues;

/** The conditions of the partial indexes of values. */
export const hasValue = { text: isNotNull(text), number: isNotNull(number) };

/** The values of an attribute, in the index by value. `prefix` begins the names of the inputs. */
export function isAttribute(of: AttributeResource, column: "text" | "number", prefix: string): SQL {
  const isNamed = eq(name, textInput(`${prefix}Name`));
  return allOf(sql`${resource} = ${sql.raw(`'${of}'`)}`, isNamed, hasValue[column]);
}
