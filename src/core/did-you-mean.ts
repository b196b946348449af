const minPrefixLength = 2;

/**
 * Returns the candidate that `name` is most likely a misspelling of, or undefined. Case, `-` and `_` are ignored;
 * an abbreviation (`org` for `organization`) counts as at most one edit, and less when it lacks less. The first of
 * equally close candidates is returned.
 */
export function closestName(name: string, candidates: Iterable<string>): string | undefined {
  const normalized = normalize(name);
  let closest: string | undefined;
  let closestDistance = Math.max(1, Math.floor(normalized.length / 3)) + 1;
  for (const candidate of candidates) {
    const compared = normalize(candidate);
    // The comparison is quadratic, and a caller chooses the length of a name.
    if (normalized.length - compared.length >= closestDistance) continue;
    const distance = distanceBetween(normalized, compared);
    if (distance < closestDistance) [closest, closestDistance] = [candidate, distance];
  }
  return closest;
}

/** The question after a sentence about a misspelled name, with a blank before it; empty without a similar candidate. */
export function suggestion(name: string, candidates: Iterable<string>, prefix = ""): string {
  const closest = closestName(name, candidates);
  return closest === undefined ? "" : ` Did you mean ${prefix}${closest}?`;
}

function normalize(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, "");
}

function distanceBetween(name: string, candidate: string): number {
  const distance = editDistance(name, candidate);
  const isAbbreviation = name.length >= minPrefixLength && candidate.startsWith(name);
  // `contact` is an abbreviation of `contacts` rather than of `contactActivityAt`.
  return isAbbreviation ? Math.min(distance, 1 - 1 / (1 + distance)) : distance;
}

/** Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours, each one edit. */
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const current = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substitution = at(previous, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwap ? at(beforePrevious, j - 2) + 1 : Number.POSITIVE_INFINITY;
      current.push(Math.min(at(previous, j) + 1, at(current, j - 1) + 1, substitution, swap));
    }
    [beforePrevious, previous] = [previous, current];
  }
  return at(previous, b.length);
}

function at(row: number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
