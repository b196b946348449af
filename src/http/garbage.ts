import { edenGC } from "bun:jsc";

/** The bytes of large bodies and replies after which garbage is collected. */
const maxBytes = 16_777_216;
/** The bytes of new objects after which their garbage is collected. */
const maxYoungBytes = 2_097_152;
let bytes = 0;
let youngBytes = 0;

/** Counts a large body or reply. Its texts and objects take several times its bytes, which the engine would free much later. */
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
