import { fold } from "../core/folding.ts";

const tokenStart = /(?<![\p{L}\p{N}])/gu;
const tokenEnd = /^(?![\p{L}\p{N}])/u;

/**
 * Returns a function that checks whether a text contains an identifier as a whole token, in any letter case: without a
 * letter or digit before or after it. Its duration does not depend on the number of identifiers of one length.
 */
export function tokenFinder(identifiers: Iterable<string>): (text: string) => boolean {
  const tokens = new Set(Array.from(identifiers, fold));
  const lengths = new Set(Array.from(tokens, ({ length }) => length));
  return (text) => {
    const folded = fold(text);
    for (const { index } of folded.matchAll(tokenStart))
      for (const length of lengths) {
        const end = index + length;
        if (tokens.has(folded.slice(index, end)) && tokenEnd.test(folded.slice(end))) return true;
      }
    return false;
  };
}
