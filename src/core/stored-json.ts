import { DatabaseDamaged } from "../../db/errors.ts";

/** Parses the text of a JSON object or array from the database. Throws DatabaseDamaged for any other text. */
export function parseStoredJson(text: string): object {
  const value = parse(text);
  if (typeof value === "object" && value !== null) return value;
  throw new DatabaseDamaged("A stored JSON text is damaged. Restore a backup.");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
