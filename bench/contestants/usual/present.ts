import type { accounts } from "./tables.ts";

/** An account of either engine. */
export type UsualAccount = typeof accounts.$inferSelect;

export function problem(status: number): Response {
  return Response.json(
    { type: "about:blank", status },
    { status, headers: { "content-type": "application/problem+json" } },
  );
}

export function presentListed(account: UsualAccount) {
  return { ...presentBefore(account), logoUrl: account.logoUrl, ...presentAfter(account) };
}

export function presentBefore({ id, name, externalId, mrr, status }: UsualAccount) {
  return {
    id,
    name,
    externalId,
    mrr,
    active: status === "active",
    churned: status === "churned",
    onboarding: status === "onboarding",
  };
}

export function presentAfter({ createdAt, updatedAt }: UsualAccount) {
  return { createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
}
