import { type Static, Type } from "@sinclair/typebox";
import { maxClockSkewMilliseconds } from "../core/event-limits.ts";
import type { ItemError } from "../core/item-codes.ts";
import { parseTimestamp } from "../core/timestamps.ts";
import { isUserId } from "../events/segment.ts";
import { type ParsedBody, releaseBody } from "../http/body/body.ts";
import { asMembers, readItems, validateItems, validateMembers } from "../http/validation/items.ts";
import { documentedOnly, nullableInteger, nullableText, text } from "../http/validation/shapes.ts";
import { maxRequestItems } from "../shared/request-limits.ts";
import type { LastSeenItem } from "./store.ts";

/** The values of `contactActivity.source` in a score that are no names of platforms, in any letter case. */
const reservedSources = ["api", "meeting", "event"];

const timestampDescription = "ISO 8601, UTC without an offset, at most 5 minutes ahead";
const Item = Type.Object(
  {
    externalId: Type.Optional(
      nullableText({ minLength: 1, maxLength: 255, description: "The account's externalId" }),
    ),
    accountId: Type.Optional(
      nullableInteger({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: "The account's id; takes precedence over externalId",
      }),
    ),
    contactEmail: Type.Optional(
      nullableText({
        maxLength: 254,
        description:
          "The e-mail address of contacts, case-insensitive, instead of an account. Updates these contacts and their accounts, at most 1,000. An empty text counts as absent",
      }),
    ),
    userId: Type.Optional(
      nullableText({
        maxLength: 255,
        description:
          "The contact's userId. Without such a contact: an equal externalId, else contactEmail in the account, and this contact gets the userId. A placeholder such as undefined counts as absent",
      }),
    ),
    source: text({
      minLength: 1,
      maxLength: 64,
      pattern: "\\S",
      description: "The platform's name",
      examples: ["vitally"],
    }),
    lastSeenAt: Type.Optional(nullableText({ format: "iso-8601", description: timestampDescription })),
    lastSeenTimestamp: Type.Optional(
      nullableText({ format: "iso-8601", description: "An alias of lastSeenAt. One of both is required" }),
    ),
  },
  { $id: "LastSeen", additionalProperties: true, description: "A null counts as absent" },
);
const { accountId, lastSeenTimestamp: _, ...others } = Item.properties;
/** In the order in which an item is checked. */
const itemMembers = { accountId, ...others };
export const LastSeenBody = documentedOnly(
  Type.Object(
    { items: Type.Array(Item, { maxItems: maxRequestItems }) },
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
  const items = readItems({ ...releaseBody(parsedBody) }, "items");
  return validateItems(items, (item) => readItem(asMembers(item), now));
}

function readItem(item: Record<string, unknown> | undefined, now: number): LastSeenItem | ItemError {
  if (!item) return { code: "wrong_type", detail: "an item must be an object" };
  const members = { ...item, lastSeenAt: item.lastSeenAt ?? item.lastSeenTimestamp ?? undefined };
  const violation = validateMembers(itemMembers, ["source", "lastSeenAt"], members);
  if (violation) return violation;
  // Safe: every member is valid, null or absent.
  const { source, lastSeenAt, ...keys } = members as Static<typeof Item> & { lastSeenAt: string };
  const [accountId, externalId] = [keys.accountId ?? undefined, keys.externalId ?? undefined];
  const contactEmail = keys.contactEmail || undefined;
  if (reservedSources.includes(source.toLowerCase())) return reservedSource;
  const userId = keys.userId && isUserId(keys.userId) ? keys.userId : undefined;
  if (
    accountId === undefined &&
    externalId === undefined &&
    contactEmail === undefined &&
    userId === undefined
  )
    return missingAccount;
  const at = parseTimestamp(lastSeenAt) ?? now;
  if (at > now + maxClockSkewMilliseconds)
    return { code: "in_future", detail: "lastSeenAt is over 5 minutes ahead" };
  // A timestamp within the tolerance counts as now.
  return { accountId, externalId, contactEmail, userId, source, lastSeenAt: Math.min(at, now) };
}

const reservedSource: ItemError = {
  code: "reserved_source",
  detail: `source must not be ${reservedSources.join(", ")}`,
};
const missingAccount: ItemError = {
  code: "no_account",
  detail: "externalId, accountId, contactEmail or userId is required",
};
