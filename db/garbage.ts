import { edenGC } from "bun:jsc";

/** The bytes of large bodies and replies after which garbage is collected. */
const maxBytes = 16_777_216;
/** The bytes of new objects after which their garbage is collected. */
const maxYoungBytes = 2_097_152;
/** The bytes of the rows, texts and JSON that a byte of a reply is made from. */
const garbagePerByte = 4;
/** A reply of fewer bytes consists of small rows, whose garbage is collected without the older objects. */
const smallRowsBytes = 524_288;
let bytes = 0;
let youngBytes = 0;

/** Counts the rows, texts and JSON of a reply, also of one that became too large. */
export function countReplyGarbage(byteLength: number): void {
  if (byteLength < smallRowsBytes) countYoungGarbage(byteLength);
  else countGarbage(garbagePerByte * byteLength);
}

/** Counts the bytes from which a large body or reply is made. The engine would free them much later. */
export function countGarbage(byteLength: number): void {
  bytes += byteLength;
  if (bytes < maxBytes) return;
  [bytes, youngBytes] = [0, 0];
  // Unlike `fullGC`, it returns freed memory to the system.
  Bun.gc(true);
}

/** Counts small objects, which are garbage soon. Older objects are not collected. */
export function countYoungGarbage(byteLength: number): void {
  youngBytes += byteLength;
  if (youngBytes < maxYoungBytes) return;
  youngBytes = 0;
  edenGC();
}
