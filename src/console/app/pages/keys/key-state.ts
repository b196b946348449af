import type { components } from "../../../../../clients/typescript/src/schema.ts";

type StoredKey = Pick<components["schemas"]["ApiKey"], "expiresAt" | "revokedAt">;

/** A key that is revoked stays revoked when it expires. */
export function stateOf(
  { expiresAt, revokedAt }: StoredKey,
  now = Date.now(),
): "active" | "expired" | "revoked" {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && Date.parse(expiresAt) <= now ? "expired" : "active";
}

/**
 * The timestamp of a chosen expiry: a number of days from now, `never` (null), or `date` with a day, at whose
 * beginning in the browser's time zone the key expires. Throws without a day.
 */
export function expiryOf(choice: string, day: string, now = Date.now()): string | null {
  if (choice === "never") return null;
  if (choice !== "date") return new Date(now + Number(choice) * 86_400_000).toISOString();
  return new Date(`${day}T00:00`).toISOString();
}
