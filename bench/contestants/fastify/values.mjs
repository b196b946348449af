// What does not depend on the database: both engines have it.

export const millisecondsOfDay = 86_400_000;

export function iso(time) {
  return new Date(time).toISOString();
}

/** The same rule as `src/core/folding.ts`, which Node cannot load. */
export function fold(text) {
  if (isAscii.test(text)) return text.toLowerCase();
  return text
    .normalize("NFC")
    .split("ı")
    .map((part) => part.toLowerCase().toUpperCase().toLowerCase())
    .join("ı")
    .replaceAll("ς", "σ")
    .normalize("NFC");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant.
const isAscii = /^[\x00-\x7f]*$/;

/** An account of a reply; each reply's schema selects its members. */
export function present(row) {
  return {
    id: row.id,
    name: row.name,
    externalId: row.external_id,
    mrr: row.mrr,
    active: row.status === "active",
    churned: row.status === "churned",
    onboarding: row.status === "onboarding",
    logoUrl: row.logo_url,
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
  };
}

/** The columns that a body changes. */
export function changesOf({ name, externalId, mrr, status, logoUrl, contactActivityAt: at }) {
  const changes = {};
  if (name !== undefined) changes.name = name;
  if (externalId !== undefined) changes.external_id = externalId || null;
  if (mrr !== undefined) changes.mrr = mrr;
  if (status !== undefined) changes.status = status;
  if (logoUrl !== undefined) changes.logo_url = logoUrl;
  if (at !== undefined) changes.contact_activity_at = at === null ? null : momentOf(at);
  return changes;
}

/** A time without an offset is UTC, as a date without a time is. */
export function momentOf(text) {
  return Date.parse(/T.*(Z|[+-]\d\d(:?\d\d)?)$|^.{10}$/i.test(text) ? text : `${text}Z`);
}

export const oldest = 35 * millisecondsOfDay;
export const mostAhead = 5 * 60_000;
export const refusals = {
  duplicate: "an event with this messageId was received before",
  unknown_account: "there is no such account",
  in_future: "timestamp is over 5 minutes ahead",
  too_old: "timestamp is over 35 days ago",
};
