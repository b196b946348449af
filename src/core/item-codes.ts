import { valueCodes } from "./errors.ts";

/** The codes of `items` in a reply to a request with many items. */
export const itemCodes = [
  ...valueCodes,
  "duplicate",
  "parked",
  "superseded",
  "contact_email_conflict",
  "attribute_type_conflict",
  "attributes_too_large",
  "no_account",
  "unknown_account",
  "too_old",
  "too_large",
  "too_deep",
  "reserved_source",
] as const;
type ItemCode = (typeof itemCodes)[number];

/** Why one item of a request was not accepted. Never the values of the item. */
export type ItemError = { code: ItemCode; detail: string };
