import { startBytes } from "./file-decoder.ts";

/** The first bytes, as Latin-1, of files that are often taken for a table, and what to do with them. */
const binaryFormats: readonly [start: string, description: string][] = [
  ["\x1f\x8b", "is compressed with gzip. Decompress it first."],
  ["PK\x03\x04", "is a zip file, such as a spreadsheet (.xlsx). Save it as CSV UTF-8 first."],
  ["\xd0\xcf\x11\xe0", "is an old spreadsheet (.xls). Save it as CSV UTF-8 first."],
  ["%PDF", "is a PDF file. Export its table as CSV UTF-8 first."],
];
/** The names of the entries in a zip file of Numbers. */
const numbersEntry = /^PK.*Index\/[^/]*\.iwa/s;
const markup = /^\s*<(\?xml|!doctype|html|head|meta|table)\b/i;

/** Describes a file that is no table by its first bytes and its name, and what to do with it. Undefined for a table. */
export function describeBinary(start: Uint8Array, fileName: string): string | undefined {
  let text = "";
  for (const byte of start.subarray(0, startBytes)) text += String.fromCharCode(byte);
  const [, description] = binaryFormats.find(([begin]) => text.startsWith(begin)) ?? [];
  if (text.startsWith("PK") && description && (numbersEntry.test(text) || /\.numbers$/i.test(fileName)))
    return "is a file of Numbers. Export it as CSV UTF-8 first.";
  return description ?? describeMarkup(text);
}

function describeMarkup(text: string): string | undefined {
  // In UTF-16, every second byte is NUL.
  const [, tag] =
    markup.exec(text.replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, "").replaceAll("\0", "")) ?? [];
  if (tag === undefined) return undefined;
  const format = tag.toLowerCase() === "?xml" ? "XML" : "an HTML page, also if its name ends in .xls";
  return `is ${format}. Open it in a spreadsheet, and save it as CSV UTF-8.`;
}
