import type { Database } from "bun:sqlite";

/** The searches in an organization: a word in very many names, one in few, one in none, and a letter. */
export type Needles = { frequent: string; rare: string; absent: string; letter: string };

/** A rare word is in fewer names and external ids than this. */
const maxRareCount = 20;
const neverUsed = ["quixotry", "vexillum", "zugzwang"];

/** Determined by the names: the most frequent word, and one from the middle of the least frequent words. */
export function needlesOf(database: Database, organizationId: number): Needles {
  const words = countWords(database, organizationId);
  const ranked = [...words].sort(([one, n], [other, m]) => n - m || (one < other ? -1 : 1));
  const find = database.query<{ found: number }, [string, number]>(
    `SELECT count(*) AS found FROM accounts WHERE (instr(folded_name, ?1) > 0
     OR instr(coalesce(folded_external_id, ''), ?1) > 0) AND organization_id = ?2`,
  );
  const countOf = (needle: string) => find.get(needle, organizationId)?.found ?? 0;
  const least = ranked.filter(([, count]) => count === ranked[0]?.[1]).map(([word]) => word);
  const rare = least.slice(least.length / 2).find((word) => countOf(word) < maxRareCount);
  const frequent = ranked.at(-1)?.[0];
  const absent = neverUsed.find((word) => countOf(word) === 0);
  find.finalize();
  if (!rare || !frequent || !absent) throw new Error("the names have no word to search for");
  return { frequent, rare, absent, letter: "e" };
}

/** The words of at least five letters from a to z, which all contestants fold in the same way. */
function countWords(database: Database, organizationId: number): Map<string, number> {
  const names = database.query<[string], [number]>(
    "SELECT folded_name FROM accounts WHERE organization_id = ?",
  );
  const words = new Map<string, number>();
  for (const [name] of names.values(organizationId) as [string][])
    for (const word of name.split(" "))
      if (/^[a-z]{5,}$/.test(word)) words.set(word, (words.get(word) ?? 0) + 1);
  names.finalize();
  return words;
}
