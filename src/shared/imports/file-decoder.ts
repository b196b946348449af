import { assertUtf8, type FileEncoding, invalidByteBase, markOf } from "./encodings.ts";

const lineFeed = 0x0a;
/** The kind of a file, and its encoding, are recognized by this many first bytes. */
export const startBytes = 65_536;

/**
 * Decodes a file in parts of any length. A byte-order mark sets the encoding; without one, it is `encoding`. The text has no
 * mark.
 */
export class FileDecoder {
  readonly #chosen: FileEncoding | undefined;
  #rest = new Uint8Array();
  #encoding: FileEncoding | undefined;

  constructor(encoding?: FileEncoding) {
    this.#chosen = encoding;
  }

  /** The text of the next part, empty before the encoding is known. Throws NotUtf8 if no encoding was chosen. */
  decode(part: Uint8Array, isEnd: boolean): string {
    let bytes = this.#rest.length === 0 ? part : concatenate(this.#rest, part);
    if (this.#encoding === undefined && (bytes.length >= startBytes || isEnd)) {
      const mark = markOf(bytes);
      this.#encoding = mark?.encoding ?? this.#chosen ?? "utf-8";
      if (!mark && !this.#chosen) assertUtf8(decodeStart(bytes));
      bytes = bytes.subarray(mark?.bytes.length ?? 0);
    }
    const end = isEnd ? bytes.length : wholeLength(bytes, this.#encoding);
    this.#rest = bytes.slice(end);
    return decodeWhole(bytes.subarray(0, end), this.#encoding ?? "utf-8");
  }
}

function decodeStart(bytes: Uint8Array): string {
  const start = bytes.subarray(0, startBytes);
  return decodeWhole(start.subarray(0, wholeLength(start, "utf-8")), "utf-8");
}

/** The length of the bytes up to the last character that may not be complete. */
function wholeLength(bytes: Uint8Array, encoding: FileEncoding | undefined): number {
  if (encoding === undefined) return 0;
  if (encoding === "windows-1252") return bytes.length;
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

function decodeWhole(bytes: Uint8Array, encoding: FileEncoding): string {
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
function decodeUnits(bytes: Uint8Array, encoding: FileEncoding): string {
  let text = "";
  for (let at = 0; at + 1 < bytes.length; at += 2) text += String.fromCharCode(unitAt(bytes, at, encoding));
  const isOdd = bytes.length % 2 === 1;
  return isOdd ? text + String.fromCharCode(invalidByteBase + 0x80) : text;
}

function unitAt(bytes: Uint8Array, at: number, encoding: FileEncoding): number {
  const [first = 0, second = 0] = [bytes[at], bytes[at + 1]];
  return encoding === "utf-16le" ? first + second * 256 : first * 256 + second;
}

function concatenate(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}
