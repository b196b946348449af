import { unauthorized } from "../errors.ts";

/** When the key of a caller was checked, in milliseconds since 1970 UTC, and whether it is still valid. */
export type Authorization = { checkedAt: number; isValid: () => Promise<boolean> };

/** After this time a key is checked again before a write: a caller can send a body slowly, for any time. */
const maxAgeMilliseconds = 1_000;

/** Whether the key has to be checked again. */
export function isOutdated({ checkedAt }: Authorization, now: number): boolean {
  return Math.abs(now - checkedAt) > maxAgeMilliseconds;
}

/** Checks the key again. Throws `unauthorized`. */
export async function assertValid({ isValid }: Authorization): Promise<void> {
  if (!(await isValid())) throw unauthorized();
}
