import { type Body, iso, type Kind, pick, type Row, sorted } from "./model-rows.ts";

/** The kind of a reply: of a create, of an update, of a list, of one row. */
export type View = "created" | "changed" | "listed" | "got";
type Data = { rows: readonly Row[]; now: number };

/** A row as in a reply. A get of an account has its lists. */
export function shownTo(row: Row, how: View, { rows, now }: Data): Body {
  return { ...shown(row, how), ...(row.kind === "accounts" && how === "got" && listsOf(rows, row.id, now)) };
}

function shown(row: Row, how: View): Body {
  const { org: _, kind, status, ...members } = row;
  if (kind !== "accounts") return { ...members, ...(status !== undefined && { status }) };
  const flags = {
    active: status === "active",
    churned: status === "churned",
    onboarding: status === "onboarding",
  };
  const { logoUrl, contactActivityAt, attributes: _attributes, ...always } = members;
  const more = { created: {}, changed: { contactActivityAt }, listed: { logoUrl }, got: { logoUrl } }[how];
  return { ...always, ...flags, ...more };
}

/** The lists of an account. */
function listsOf(rows: readonly Row[], accountId: number, now: number): Body {
  const of = (kind: Kind) => rows.filter((row) => row.kind === kind && row.accountId === accountId);
  const latest = (kind: Kind, name: string) => sorted(of(kind), (row) => row[name], "desc");
  const begun = latest("meetings", "startAt").filter(({ startAt }) => String(startAt) <= iso(now));
  const request = ["id", "title", "status", "severity", "requestedAt"];
  return {
    contacts: of("contacts").map((row) => pick(row, ["id", "name", "email"])),
    meetings: begun.slice(0, 20).map((row) => pick(row, ["id", "title", "startAt", "endAt"])),
    requests: latest("requests", "requestedAt").map((row) => pick(row, request)),
  };
}
