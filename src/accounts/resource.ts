import { type AccountStatus, accounts } from "../../db/schema.ts";
import { type AttributeChanges, mergeAttributes } from "../core/attributes/attributes.ts";
import type { ResourceRows } from "../core/changes/changes.ts";
import { invalidField, Problem } from "../core/errors.ts";
import { externalIdConflict } from "../core/resource/definition.ts";
import { defineResource } from "../core/resource/resource.ts";
import { parseTimestamp } from "../core/timestamps.ts";

export type AccountRow = ResourceRows["account"];
/** The members that callers can set. */
export type AccountInput = {
  name?: string;
  externalId?: string | null;
  mrr?: number;
  status?: AccountStatus;
  logoUrl?: string | null;
  contactActivityAt?: string | null;
  attributes?: AttributeChanges;
};

/** The columns that a list shows. */
export const listedFields = {
  id: accounts.id,
  name: accounts.name,
  externalId: accounts.externalId,
  mrr: accounts.mrr,
  status: accounts.status,
  logoUrl: accounts.logoUrl,
  createdAt: accounts.createdAt,
  updatedAt: accounts.updatedAt,
};

/** Accounts. Throws `invalid_request` for a contactActivityAt in the future. */
export const accountResource = defineResource<"account", AccountInput>({
  type: "account",
  table: accounts,
  fields: {
    ...listedFields,
    contactActivityAt: accounts.contactActivityAt,
    version: accounts.version,
    attributes: accounts.attributes,
    memberTimes: accounts.memberTimes,
  },
  folded: { foldedName: { of: "name" }, foldedExternalId: { of: "externalId" } },
  columnsOf: (input, existing, now) => ({
    name: input.name ?? existing?.name ?? "",
    mrr: input.mrr ?? existing?.mrr ?? 0,
    status: input.status ?? existing?.status ?? "active",
    logoUrl: input.logoUrl === undefined ? (existing?.logoUrl ?? null) : input.logoUrl,
    contactActivityAt:
      input.contactActivityAt === undefined
        ? (existing?.contactActivityAt ?? null)
        : parsePastTimestamp(input.contactActivityAt, now),
    attributes: mergeAttributes(existing?.attributes, input.attributes),
  }),
  conflicts: [externalIdConflict("account", accounts)],
});

/** Checks input that needs no stored account, before one is looked for. Throws `no_valid_fields`, `invalid_request`. */
export function checkAccountInput(input: AccountInput, now: number): void {
  if (Object.keys(input).length === 0) throw new Problem("no_valid_fields");
  if (input.contactActivityAt !== undefined) parsePastTimestamp(input.contactActivityAt, now);
}

/** Throws for a timestamp in the future. The schema of the body has accepted the text as a timestamp. */
function parsePastTimestamp(text: string | null, now: number): number | null {
  const timestamp = text === null ? null : (parseTimestamp(text) ?? null);
  if (timestamp !== null && timestamp > now)
    throw invalidField("/contactActivityAt", "in_future", "must not be in the future");
  return timestamp;
}
