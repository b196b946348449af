import { Type } from "@sinclair/typebox";
import { maxClockSkewMilliseconds } from "../core/event-limits.ts";
import type { ItemError } from "../core/item-codes.ts";
import { parseTimestamp } from "../core/timestamps.ts";
import { type ParsedBody, releaseBody } from "../http/body/body.ts";
import type { Constraints } from "../http/validation/constraints.ts";
import { asMembers, readItems, validateItems, validateMembers } from "../http/validation/items.ts";
import { documentedOnly, nullableInteger, nullableText, text } from "../http/validation/shapes.ts";
import type { LastSeenItem } from "./store.ts";

const maxItems = 1_000;
/** The values of `contactActivity.source` in a score that are no names of platforms, in any letter case. */
const reservedSources = ["api", "event"];

const itemConstraints = {
  accountId: { type: ["integer", "null"], minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  externalId: { type: ["string", "null"], minLength: 1, maxLength: 255 },
  contactEmail: { type: ["string", "null"], maxLength: 254 },
  source: { type: "string", minLength: 1, maxLength: 64, pattern: "\\S" },
  lastSeenAt: { type: "string", format: "iso-8601" },
} as const satisfies Record<string, Constraints>;

const timestampDescription = "ISO 8601, UTC without an offset, at most 5 minutes ahead";
const Item = Type.Object(
  {
    externalId: Type.Optional(
      nullableText({ ...itemConstraints.externalId, description: "The account's externalId" }),
    ),
    accountId: Type.Optional(
      nullableInteger({
        ...itemConstraints.accountId,
        description: "The account's id; takes precedence over externalId",
      }),
    ),
    contactEmail: Type.Optional(
      nullableText({
        ...itemConstraints.contactEmail,
        description:
          "The e-mail address of contacts, case-insensitive, instead of an account. Updates these contacts and their accounts, at most 1,000. An empty text counts as absent",
      }),
    ),
    source: text({ ...itemConstraints.source, description: "The platform's name", examples: ["vitally"] }),
    lastSeenAt: Type.Optional(nullableText({ format: "iso-8601", description: timestampDescription })),
    lastSeenTimestamp: Type.Optional(
      nullableText({ format: "iso-8601", description: "An alias of lastSeenAt. One of both is required" }),
    ),
  },
  { $id: "LastSeen", additionalProperties: true, description: "A null counts as absent" },
);
export const LastSeenBody = documentedOnly(
  Type.Object(
    { items: Type.Array(Item, { maxItems: maxItems }) },
    {
      $id: "LastSeenItems",
      additionalProperties: true,
      examples: [
        { items: [{ externalId: "acme", source: "vitally", lastSeenAt: "2026-01-02T03:04:05.678Z" }] },
      ],
    },
  ),
);

/** Validates the items of a body one by one. Throws `invalid_request` when the body has no list of items. */
export async function readLastSeenItems(
  parsedBody: ParsedBody,
  now: number,
): Promise<(LastSeenItem | ItemError)[]> {
  const items = readItems({ ...releaseBody(parsedBody) }, "items", maxItems);
  return validateItems(items, (item) => readItem(asMembers(item), now));
}

function readItem(item: Record<string, unknown> | undefined, now: number): LastSeenItem | ItemError {
  if (!item) return { code: "wrong_type", detail: "an item must be an object" };
  const members = { ...item, lastSeenAt: item.lastSeenAt ?? item.lastSeenTimestamp ?? undefined };
  const violation = validateMembers(itemConstraints, ["source", "lastSeenAt"], members);
  if (violation) return violation;
  // Safe: every member is valid, null or absent.
  const { source, lastSeenAt, ...keys } = members as unknown as ValidItem;
  const [accountId, externalId] = [keys.accountId ?? undefined, keys.externalId ?? undefined];
  const contactEmail = keys.contactEmail || undefined;
  if (reservedSources.includes(source.toLowerCase())) return reservedSource;
  if (accountId === undefined && externalId === undefined && contactEmail === undefined)
    return missingAccount;
  const at = parseTimestamp(lastSeenAt) ?? now;
  if (at > now + maxClockSkewMilliseconds)
    return { code: "in_future", detail: "lastSeenAt is over 5 minutes ahead" };
  // A timestamp within the tolerance counts as now.
  return { accountId, externalId, contactEmail, source, lastSeenAt: Math.min(at, now) };
}

type ValidItem = Record<"source" | "lastSeenAt", string> &
  Partial<Record<"externalId" | "contactEmail", string | null> & Record<"accountId", number | null>>;
const reservedSource: ItemError = {
  code: "reserved_source",
  detail: `source must not be ${reservedSources.join(" or ")}`,
};
const missingAccount: ItemError = {
  code: "no_account",
  detail: "externalId, accountId or contactEmail is required",
};
