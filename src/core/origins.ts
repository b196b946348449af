/**
 * The origins in a comma list, or `*` alone; undefined when one is invalid. An origin is written as browsers send it:
 * in lower case, without the default port, a path or a slash at the end.
 */
export function readOrigins(list: string): readonly string[] | undefined {
  if (list === "") return [];
  const origins = list.split(",").map((origin) => origin.trim());
  return list === "*" || origins.every(isOrigin) ? origins : undefined;
}

function isOrigin(text: string): boolean {
  return /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}
