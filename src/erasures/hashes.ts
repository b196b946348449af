import { foldAddress } from "../core/folding.ts";

/** The SHA-256 of an identifier of a person. Addresses that are equal have the same hash. */
export function hashIdentifier(organizationId: number, identifier: string): string {
  return new Bun.CryptoHasher("sha256").update(`${organizationId}:${foldAddress(identifier)}`).digest("hex");
}
