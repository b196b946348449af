/**
 * The origins in a comma list, or `*` alone; otherwise what is wrong with the first invalid one. An origin is written as
 * browsers send it: in lower case, without the default port, a path or a slash at the end.
 */
export function readOrigins(list: string): readonly string[] | { fault: string } {
  if (list === "") return [];
  const origins = list.split(",").map((origin) => origin.trim());
  const invalid = origins.find((origin) => originOf(origin) !== origin);
  return list === "*" || invalid === undefined ? origins : { fault: faultOf(invalid) };
}

function originOf(text: string): string | undefined {
  return /^https?:[^*]+$/i.test(text) && URL.canParse(text) ? new URL(text).origin : undefined;
}

function faultOf(text: string): string {
  if (text === "") return "it has an empty entry.";
  if (text === "*") return "* allows every origin: write it alone.";
  const isHost = /^[^/]*[.:][^/]*$/.test(text);
  const origin = originOf(isHost ? `https://${text}` : text);
  const advice = origin === undefined ? "" : ` Write ${origin}.`;
  return `${text} is not an origin as browsers send it.${advice}`;
}
