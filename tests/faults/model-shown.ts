import type { Body, Row } from "./model-rows.ts";

/** A row as in a reply. */
export function shown(row: Row, how: "created" | "changed" | "listed" = "listed"): Body {
  const { org: _, kind, status, ...members } = row;
  if (kind !== "accounts") return { ...members, ...(status !== undefined && { status }) };
  const flags = {
    active: status === "active",
    churned: status === "churned",
    onboarding: status === "onboarding",
  };
  const { logoUrl, contactActivityAt, ...always } = members;
  const more = { created: {}, changed: { contactActivityAt }, listed: { logoUrl } }[how];
  return { ...always, ...flags, ...more };
}

/** A row of the list of scores, without the score. */
export function scored({ id, name, externalId, mrr }: Row): Body {
  return { accountId: id, name, externalId, mrr };
}
