/** The first characters of the first two words of a name, in capitals: "AW" of "American Water Works". */
export function initialsOf(name: string): string {
  const words = name.match(/[\p{L}\p{N}][^\s]*/gu) ?? [];
  return words
    .slice(0, 2)
    .map((word) => String.fromCodePoint(word.codePointAt(0) ?? 0))
    .join("")
    .toLocaleUpperCase();
}

const hueCount = 6;

/** The number of the colour of a name, from 1 to 6, as in `--series-1`. */
export function hueOf(name: string): number {
  let sum = 0;
  for (let i = 0; i < name.length; i += 1) sum += name.charCodeAt(i);
  return (sum % hueCount) + 1;
}
