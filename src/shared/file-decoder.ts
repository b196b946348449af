type Encoding = "utf-8" | "utf-16le" | "utf-16be";

/** The encodings that a file can name by a byte-order mark. Without one it is UTF-8. */
const marks: readonly { bytes: readonly number[]; encoding: Encoding }[] = [
  { bytes: [0xef, 0xbb, 0xbf], encoding: "utf-8" },
  { bytes: [0xff, 0xfe], encoding: "utf-16le" },
  { bytes: [0xfe, 0xff], encoding: "utf-16be" },
];
/** A byte that is not valid becomes a lone surrogate, U+DC80 to U+DCFF ("surrogateescape" of Python). */
const invalidByteBase = 0xdc00;
const lineFeed = 0x0a;

export function markOf(start: Uint8Array) {
  return marks.find(({ bytes }) => bytes.every((byte, i) => start[i] === byte));
}

/** Whether a decoded text has bytes that are not valid in the encoding of its file. U+FFFD is a valid character. */
export function hasInvalidBytes(text: string): boolean {
  return !text.isWellFormed();
}

/** The bytes of a text in UTF-8; those that were not valid are as they were in the file. */
export function encodeText(text: string): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  if (text.isWellFormed()) return encoder.encode(text);
  return new Uint8Array(
    [...text].flatMap((character) => {
      const byte = (character.codePointAt(0) ?? 0) - invalidByteBase;
      return byte >= 0x80 && byte <= 0xff ? [byte] : [...encoder.encode(character)];
    }),
  );
}

/** Decodes a file in parts of any length: UTF-8, or UTF-16 with a byte-order mark. The text has no mark. */
export class FileDecoder {
  #rest = new Uint8Array();
  #encoding: Encoding | undefined;

  decode(part: Uint8Array, isEnd: boolean): string {
    let bytes = this.#rest.length === 0 ? part : concatenate(this.#rest, part);
    if (this.#encoding === undefined && (bytes.length >= 3 || isEnd)) {
      const mark = markOf(bytes);
      this.#encoding = mark?.encoding ?? "utf-8";
      bytes = bytes.subarray(mark?.bytes.length ?? 0);
    }
    const end = isEnd ? bytes.length : wholeLength(bytes, this.#encoding);
    this.#rest = bytes.slice(end);
    return decodeWhole(bytes.subarray(0, end), this.#encoding ?? "utf-8");
  }
}

/** The length of the bytes up to the last character that may not be complete. */
function wholeLength(bytes: Uint8Array, encoding: Encoding | undefined): number {
  if (encoding === undefined) return 0;
  if (encoding !== "utf-8") {
    const even = bytes.length & ~1;
    const unit = even < 2 ? 0 : unitAt(bytes, even - 2, encoding);
    return unit >= 0xd800 && unit < 0xdc00 ? even - 2 : even;
  }
  for (let length = 1; length <= Math.min(3, bytes.length); length += 1) {
    const byte = bytes[bytes.length - length] ?? 0;
    if (byte < 0x80) break;
    if (byte >= 0xc0) return sequenceLength(byte) > length ? bytes.length - length : bytes.length;
  }
  return bytes.length;
}

function decodeWhole(bytes: Uint8Array, encoding: Encoding): string {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return encoding === "utf-8" ? decodeInvalidUtf8(bytes) : decodeUnits(bytes, encoding);
  }
}

/** Decodes halves that end in a line feed, so that only the lines with an invalid byte are decoded by character. */
function decodeInvalidUtf8(bytes: Uint8Array): string {
  const half = bytes.indexOf(lineFeed, bytes.length >> 1) + 1;
  const middle =
    half > 0 && half < bytes.length ? half : bytes.lastIndexOf(lineFeed, (bytes.length >> 1) - 1) + 1;
  if (middle > 0 && middle < bytes.length)
    return decodeWhole(bytes.subarray(0, middle), "utf-8") + decodeWhole(bytes.subarray(middle), "utf-8");
  let text = "";
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at] ?? 0;
    const length = sequenceLength(byte);
    try {
      text +=
        length === 1 && byte < 0x80
          ? String.fromCharCode(byte)
          : decoder.decode(bytes.subarray(at, at + length));
      at += length;
    } catch {
      text += String.fromCharCode(invalidByteBase + byte);
      at += 1;
    }
  }
  return text;
}

/** The length of the character in UTF-8 that begins with this byte. */
function sequenceLength(byte: number): number {
  if (byte < 0xc0) return 1;
  if (byte < 0xe0) return 2;
  return byte < 0xf0 ? 3 : 4;
}

/** The text of UTF-16 whose surrogates are not all in pairs. */
function decodeUnits(bytes: Uint8Array, encoding: Encoding): string {
  let text = "";
  for (let at = 0; at + 1 < bytes.length; at += 2) text += String.fromCharCode(unitAt(bytes, at, encoding));
  const isOdd = bytes.length % 2 === 1;
  return isOdd ? text + String.fromCharCode(invalidByteBase + 0x80) : text;
}

function unitAt(bytes: Uint8Array, at: number, encoding: Encoding): number {
  const [first = 0, second = 0] = [bytes[at], bytes[at + 1]];
  return encoding === "utf-16le" ? first + second * 256 : first * 256 + second;
}

function concatenate(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}
