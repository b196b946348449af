import { type Body, iso, type Kind, pick, type Row, sorted } from "./model-rows.ts";
import type { Usage } from "./model-usage.ts";

/** The kind of a reply: of a create, of an update, of a list, of one row. */
export type View = "created" | "changed" | "listed" | "got";
type Data = { rows: readonly Row[]; usage: Usage; now: number };

/** A row as in the reply to a request with this query. */
export function shownTo(row: Row, how: View, data: Data, { include, fields }: Record<string, string>): Body {
  const names = (fields ?? include)?.split(",") ?? [];
  const whole = { ...shown(row, how), ...(row.kind === "accounts" && included(row, how, names, data)) };
  return fields === undefined ? whole : pick(whole, ["id", ...names]);
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

/** The members that `include` adds. A get has the lists anyway. The model does not have the score: it is `true`. */
function included(row: Row, how: View, names: readonly string[], { rows, usage, now }: Data): Body {
  const activity = usage.activity(row);
  const all: Body = {
    ...listsOf(rows, row.id, now),
    status: row.status,
    attributes: row.attributes,
    health: true,
    contactActivity: activity.at === null ? null : activity,
  };
  return pick(all, [
    ...(how === "got" ? ["contacts", "meetings", "requests"] : []),
    ...names.filter((name) => name in all),
  ]);
}

/** A row of the list of scores, without the score. */
export function scored({ id, name, externalId, mrr }: Row): Body {
  return { accountId: id, name, externalId, mrr };
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
