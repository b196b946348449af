export const fileEncodings = ["utf-8", "windows-1252", "utf-16le", "utf-16be"] as const;
export type FileEncoding = (typeof fileEncodings)[number];

/** The names of the encodings in messages. */
export const encodingTitles: Readonly<Record<FileEncoding, string>> = {
  "utf-8": "UTF-8",
  "windows-1252": "Windows-1252",
  "utf-16le": "UTF-16 (little endian)",
  "utf-16be": "UTF-16 (big endian)",
};

/** The encodings that a file can name by a byte-order mark. */
const marks: readonly { bytes: readonly number[]; encoding: FileEncoding }[] = [
  { bytes: [0xef, 0xbb, 0xbf], encoding: "utf-8" },
  { bytes: [0xff, 0xfe], encoding: "utf-16le" },
  { bytes: [0xfe, 0xff], encoding: "utf-16be" },
];
/** A byte that is not valid becomes a lone surrogate, U+DC80 to U+DCFF ("surrogateescape" of Python). */
export const invalidByteBase = 0xdc00;
/** The reason for which a row with such a byte is rejected. */
export const invalidBytesFault =
  "the line has bytes that are not UTF-8: choose the encoding of the file, such as windows-1252 (--encoding windows-1252)";

export function markOf(start: Uint8Array) {
  return marks.find(({ bytes }) => bytes.every((byte, i) => start[i] === byte));
}

/** The encoding that a label of the Encoding Standard names, such as `latin1`; undefined for all other encodings. */
export function encodingOf(label: string): FileEncoding | undefined {
  try {
    // Safe: any label can be passed; the constructor throws a RangeError for an unknown one.
    const { encoding } = new TextDecoder(label as "utf-8");
    return fileEncodings.find((name) => name === encoding);
  } catch {
    return undefined;
  }
}

/** A file that is not UTF-8 and has no byte-order mark. The message follows the name of the file. */
export class NotUtf8 extends Error {
  /** What the file looks like. */
  readonly encoding: FileEncoding | undefined;

  constructor(encoding: FileEncoding | undefined) {
    super(
      encoding === undefined
        ? "is not UTF-8. Save it as UTF-8 first, or choose its encoding if it is Windows-1252 or UTF-16."
        : `is not UTF-8: it is perhaps ${encodingTitles[encoding]}.`,
    );
    this.encoding = encoding;
  }
}

/**
 * Throws NotUtf8 for the start of a file that was decoded as UTF-8 and is in another encoding: every second byte is NUL,
 * or most characters outside of ASCII are invalid. A few invalid bytes in a text in UTF-8 are a fault of their rows.
 */
export function assertUtf8(text: string): void {
  const start = text.slice(0, 200);
  // The first letter of a header or of JSON is in ASCII.
  if (start.split("\0").length - 1 > start.length / 4)
    throw new NotUtf8(start.startsWith("\0") ? "utf-16be" : "utf-16le");
  const invalidCount = text.match(/[\udc80-\udcff]/gu)?.length ?? 0;
  if (invalidCount === 0 || invalidCount <= (text.match(/[^\0-\x7f\udc80-\udcff]/gu)?.length ?? 0)) return;
  // Letters outside of ASCII are rarely next to each other in the languages of Windows-1252.
  throw new NotUtf8(/[\udc80-\udcff]{4}/u.test(text) ? undefined : "windows-1252");
}

/** Whether a decoded text has bytes that are not valid in the encoding of its file. U+FFFD is a valid character. */
export function hasInvalidBytes(text: string): boolean {
  return !text.isWellFormed();
}

const windows1252Bytes = new Map(
  Array.from({ length: 256 }, (_, byte) => [
    new TextDecoder("windows-1252").decode(Uint8Array.of(byte)),
    byte,
  ]),
);

/** The bytes of a text. Those that were not valid in the file are as they were; what the encoding lacks is `?`. */
export function encodeText(text: string, encoding: FileEncoding = "utf-8"): Uint8Array<ArrayBuffer> {
  if (encoding === "utf-8") return encodeUtf8(text);
  if (encoding === "windows-1252")
    return Uint8Array.from(text, (character) => windows1252Bytes.get(character) ?? 0x3f);
  const bytes = new Uint8Array(text.length * 2);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < text.length; i += 1) view.setUint16(i * 2, text.charCodeAt(i), encoding === "utf-16le");
  return bytes;
}

function encodeUtf8(text: string): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  if (text.isWellFormed()) return encoder.encode(text);
  return new Uint8Array(
    [...text].flatMap((character) => {
      const byte = (character.codePointAt(0) ?? 0) - invalidByteBase;
      return byte >= 0x80 && byte <= 0xff ? [byte] : [...encoder.encode(character)];
    }),
  );
}
