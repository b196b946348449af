/** Texts that applications send in place of an id. As ids, they would join persons of different customers. */
const placeholders = new Set([
  "",
  "undefined",
  "null",
  "nan",
  "[object object]",
  "0",
  "-1",
  "true",
  "false",
  "none",
  "anonymous",
  "guest",
  "distinct_id",
  "id",
]);

/** Whether a text identifies a user. A placeholder does not, in any letter case, also with blanks around it. */
export function isUserId(text: string): boolean {
  return !placeholders.has(text.trim().toLowerCase());
}
