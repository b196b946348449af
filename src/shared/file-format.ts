/** The first bytes of files that are often taken for a table, as Latin-1, and what to do with them. */
const binaryFormats: readonly [start: string, description: string][] = [
  ["\x1f\x8b", "is compressed with gzip. Decompress it first."],
  ["PK", "is a zip file, such as a spreadsheet (.xlsx). Save it as CSV UTF-8 first."],
  ["\xd0\xcf\x11\xe0", "is an old spreadsheet (.xls). Save it as CSV UTF-8 first."],
];
const json = /^\s*[{[]\s*["{[]/;

/** What a file is that is no text, by its first bytes, and what to do with it. */
export function describeBinary(start: Uint8Array): string | undefined {
  const text = String.fromCharCode(...start.subarray(0, 4));
  return binaryFormats.find(([begin]) => text.startsWith(begin))?.[1];
}

/** Whether a text is JSON rather than CSV. */
export function isJson(text: string): boolean {
  return json.test(text);
}
