import { Type } from "@sinclair/typebox";
import { parseTimestamp } from "../core/timestamps.ts";
import { type SentObject, takeBody } from "../http/body.ts";
import type { Rules } from "../http/constraints.ts";
import { itemsAt, membersOf, type Outcome, refuseMembers } from "../http/items.ts";
import { described, integer, text } from "../http/shapes.ts";
import type { Sighting } from "./store.ts";

const mostItems = 1_000;
/** How far, in milliseconds, a sender's clock may be ahead. */
const mostAhead = 5 * 60_000;
/** What a score says of where an activity was told from, beside the names of platforms. */
const reserved = ["api", "event"];

const rules = {
  accountId: { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  externalId: { type: "string", minLength: 1, maxLength: 255 },
  contactEmail: { type: "string", minLength: 1, maxLength: 254 },
  source: { type: "string", minLength: 1, maxLength: 64, pattern: "\\S" },
  lastSeenAt: { type: "string", format: "iso-8601" },
} as const satisfies Record<string, Rules>;

const moment = "When: ISO 8601, UTC without an offset, at most 5 minutes ahead";
const Item = Type.Object(
  {
    externalId: Type.Optional(text({ ...rules.externalId, description: "The account's externalId" })),
    accountId: Type.Optional(integer({ ...rules.accountId, description: "Or the account's id" })),
    contactEmail: Type.Optional(
      text({
        ...rules.contactEmail,
        description:
          "Or the e-mail address of contacts, in any letter case: they and their accounts were seen, the first 1,000 of them",
      }),
    ),
    source: text({ ...rules.source, description: "The platform's name", examples: ["vitally"] }),
    lastSeenAt: Type.Optional(text({ ...rules.lastSeenAt, description: moment })),
    lastSeenTimestamp: Type.Optional(
      text({ ...rules.lastSeenAt, description: "Another name of lastSeenAt" }),
    ),
  },
  { $id: "LastSeen", additionalProperties: true },
);
export const LastSeenBody = described(
  Type.Object(
    { items: Type.Array(Item, { maxItems: mostItems }) },
    {
      $id: "LastSeenItems",
      additionalProperties: true,
      examples: [
        { items: [{ externalId: "acme", source: "vitally", lastSeenAt: "2026-01-02T03:04:05.678Z" }] },
      ],
    },
  ),
);

/** The items of a body, each as it is to be stored, or refused. Throws `invalid_request` when it has no list of them. */
export function readSightings(sent: SentObject, now: number): (Sighting | Outcome)[] {
  return itemsAt({ ...takeBody(sent) }, "items", mostItems).map((item) => readItem(membersOf(item), now));
}

function readItem(item: Record<string, unknown> | undefined, now: number): Sighting | Outcome {
  if (!item) return { code: "wrong_type", detail: "an item must be an object" };
  const members = { ...item, lastSeenAt: item.lastSeenAt ?? item.lastSeenTimestamp };
  const refusal = refuseMembers(rules, ["source", "lastSeenAt"], members);
  if (refusal) return refusal;
  // Safe: the members have passed their rules, or are not there.
  const { accountId, externalId, contactEmail, source, lastSeenAt } = members as unknown as Checked;
  if (reserved.includes(source)) return reservedSource;
  if (accountId === undefined && externalId === undefined && contactEmail === undefined) return noAccount;
  const at = parseTimestamp(lastSeenAt) ?? now;
  if (at > now + mostAhead) return { code: "in_future", detail: "lastSeenAt is over 5 minutes ahead" };
  // Within the tolerance, a clock that is ahead says no more than: now.
  return { accountId, externalId, contactEmail, source, lastSeenAt: Math.min(at, now) };
}

type Checked = Omit<Sighting, "lastSeenAt"> & { lastSeenAt: string };
const reservedSource = { code: "reserved_source", detail: `source must not be ${reserved.join(" or ")}` };
const noAccount = { code: "no_account", detail: "externalId, accountId or contactEmail is required" };
