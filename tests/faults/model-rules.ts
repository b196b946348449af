import { nouns } from "./model-log.ts";
import { type Body, invalid, type Kind, kinds, Refusal } from "./model-rows.ts";

/** One request. In `body`, "now-5" is the timestamp of five milliseconds ago. */
export type Asked = {
  org: number;
  op:
    | "create"
    | "get"
    | "patch"
    | "put"
    | "delete"
    | "list"
    | "events"
    | "unmatched"
    | "usage"
    | "seen"
    | "health"
    | "healths"
    | "changes"
    | "history"
    | "scores";
  kind: Kind;
  /** The id of the row; for creates and lists of sub-resources, the id of the account. */
  id?: number;
  /** The external id in the path, instead of an id. */
  externalId?: string;
  body: Body;
  query: Record<string, string>;
  requestId?: string;
};
type Rule = (value: unknown) => string | undefined;

const text = (value: unknown) => {
  if (typeof value !== "string") return "wrong_type";
  if (value === "") return "too_short";
  if (value.length > 255) return "too_long";
  return value.trim() === "" ? "blank" : undefined;
};
const short = (value: unknown) => (value === "" ? undefined : text(value));
const orNull = (rule: Rule) => (value: unknown) => (value === null ? undefined : rule(value));
const oneOf = (...words: string[]) => {
  return (value: unknown) => (typeof value !== "string" ? "wrong_type" : notIn(words, value));
};
const notIn = (words: readonly string[], value: string) =>
  words.includes(value) ? undefined : "not_allowed";
const number = (value: unknown) => (typeof value === "number" ? undefined : "wrong_type");
const matching = (pattern: RegExp, code: string) => (value: unknown) => {
  if (typeof value !== "string") return "wrong_type";
  return pattern.test(value) ? undefined : code;
};
const email = matching(/^\S+@\S+$/, "invalid_email");
const timestamp = (value: unknown) => {
  if (typeof value !== "string") return "wrong_type";
  return Number.isNaN(Date.parse(value)) ? "invalid_timestamp" : undefined;
};
const severity = (value: unknown) => {
  if (typeof value !== "number" || !Number.isInteger(value)) return "wrong_type";
  return value < 1 || value > 5 ? "out_of_range" : undefined;
};
const requestStatuses = ["Open", "Planned", "Started", "Done", "Declined"];
const given = ["active", "onboarding", "churned"];
const externalId = orNull(short);
const url = orNull(matching(/^https?:\/\//, "invalid_url"));
const newAccount = {
  name: text,
  externalId: short,
  mrr: number,
  status: oneOf(...given),
  contactName: text,
  contactEmail: email,
};
const account = {
  name: text,
  externalId,
  mrr: number,
  status: oneOf(...given, "inactive"),
  logoUrl: url,
  contactActivityAt: orNull(timestamp),
};
const rules: Record<Kind, Record<string, Rule>> = {
  accounts: account,
  contacts: { name: text, externalId, email: orNull(email) },
  meetings: { title: text, externalId, startAt: timestamp, endAt: timestamp },
  requests: { title: text, externalId, status: oneOf(...requestStatuses), severity, requestedAt: timestamp },
};

const pageParameters = ["page", "pageSize"];
const listParameters = [...pageParameters, "sortBy", "sortOrder"];

/** The query parameters of an operation. */
export function parametersOf({ op, kind, id }: Pick<Asked, "op" | "kind" | "id">): readonly string[] {
  if (op === "changes") return ["after", "limit", "resource", "action"];
  if (op === "history") return pageParameters;
  if (op === "usage") return [...pageParameters, "from", "to", "event"];
  if (op === "health") return ["asOf"];
  if (op === "healths") return [...listParameters, "tier"];
  if (op === "unmatched") return [...listParameters, "search"];
  if (op !== "list") return [];
  const own: Record<Kind, string[]> = {
    accounts: ["status"],
    contacts: ["email"],
    meetings: [],
    requests: ["status", ...(id === undefined ? ["accountId"] : [])],
  };
  return [...listParameters, "search", "externalId", ...own[kind]];
}

/** Throws the reply of a rejection that does not depend on stored rows. */
export function refuse(asked: Asked, now: number): void {
  const { op, kind, body, query } = asked;
  const parameters = parametersOf(asked);
  if (Object.keys(query).some((name) => !parameters.includes(name)))
    throw new Refusal(400, "unknown_parameter");
  if (op === "list" || op === "unmatched" || op === "history") refuseQuery(kind, query);
  if (op === "changes") refuseFeed(query);
  if (op !== "create" && op !== "patch" && op !== "put") return;
  const known = op === "create" && kind === "accounts" ? newAccount : rules[kind];
  const absent = kinds[kind].required.filter((name) => op === "create" && body[name] === undefined);
  const wrong = Object.entries(known).flatMap(([name, rule]) => {
    const code = body[name] === undefined ? undefined : rule(body[name]);
    return code === undefined ? [] : [`/${name} ${code}`];
  });
  if (absent.length + wrong.length > 0) throw invalid(...absent.map((name) => `/${name} required`), ...wrong);
  if (op === "patch" && Object.keys(body).length === 0) throw new Refusal(400, "no_valid_fields");
  if (kind === "accounts" && Date.parse(String(body.contactActivityAt)) > now)
    throw invalid("/contactActivityAt in_future");
}

function refuseFeed({ limit = "1", resource, action }: Record<string, string>): void {
  const actions = ["created", "updated", "deleted", "health_changed"];
  const errors = [
    (Number(limit) < 1 || Number(limit) > 1_000) && "limit out_of_range",
    resource !== undefined && notIn(Object.values(nouns), resource) && "resource not_allowed",
    action !== undefined && notIn(actions, action) && "action not_allowed",
  ].filter((error) => typeof error === "string");
  if (errors.length > 0) throw invalid(...errors);
}

function refuseQuery(
  kind: Kind,
  { page = "1", pageSize = "1", sortBy, status }: Record<string, string>,
): void {
  const statuses = kind === "accounts" ? [...given, "inactive"] : requestStatuses;
  const errors = [
    /^\d+$/.test(page) ? Number(page) < 1 && "page out_of_range" : "page wrong_type",
    Number(pageSize) > 100 && "pageSize out_of_range",
    sortBy !== undefined && notIn(kinds[kind].sortBy, sortBy) && "sortBy not_allowed",
    status !== undefined && notIn(statuses, status) && "status not_allowed",
  ].filter((error) => typeof error === "string");
  if (errors.length > 0) throw invalid(...errors);
}
