import { edenGC, fullGC } from "bun:jsc";

/** The bytes of large bodies and replies after which garbage is collected. */
const maxBytes = 8_388_608;
let bytes = 0;

/**
 * Counts a large body or reply. Its texts and objects take several times its bytes, which the engine would free much later.
 * `isYoung`: its garbage is of small objects, and is collected without older objects.
 */
export function countGarbage(byteLength: number, { isYoung = false } = {}): void {
  bytes += byteLength;
  if (bytes < maxBytes) return;
  bytes = 0;
  if (isYoung) edenGC();
  else fullGC();
}
