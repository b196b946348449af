import type { Position } from "./model-listing.ts";
import { absentMembers, type Body, invalid, type Kind, kinds, prefixed, Refusal } from "./model-rows.ts";
import { requestStatuses } from "./model-values.ts";

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
    | "scores"
    | "batch"
    | "upsert"
    | "attributes"
    | "usageSums"
    | "ranking"
    | "erase"
    | "listKeys"
    | "getKey"
    | "createKey"
    | "revokeKey";
  kind: Kind;
  /** The id of the row; for creates and lists of sub-resources, the id of the account. */
  id?: number;
  /** The external id in the path, instead of an id. */
  externalId?: string;
  body: Body;
  query: Record<string, string>;
  requestId?: string;
  /** The id of the API key, if it is not the first one of the organization. */
  by?: number;
  /** The Idempotency-Key. */
  key?: string;
  ifMatch?: string;
  ifNoneMatch?: string;
  /** Those of a batch. */
  operations?: readonly Asked[];
  isAtomic?: boolean;
  /** With a cursor: the position of the last row before it. */
  after?: Position;
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
export const notIn = (words: readonly string[], value: string) =>
  words.includes(value) ? undefined : "not_allowed";
const number = (value: unknown) => (typeof value === "number" ? undefined : "wrong_type");
const matching = (pattern: RegExp, code: string) => (value: unknown) => {
  if (typeof value !== "string") return "wrong_type";
  return pattern.test(value) ? undefined : code;
};
const email = matching(/^(?:\S+@\S+)?$/, "invalid_email");
const timestamp = (value: unknown) => {
  if (typeof value !== "string") return "wrong_type";
  return Number.isNaN(Date.parse(value)) ? "invalid_timestamp" : undefined;
};
const severity = (value: unknown) => {
  if (typeof value !== "number" || !Number.isInteger(value)) return "wrong_type";
  return value < 1 || value > 5 ? "out_of_range" : undefined;
};
const given = ["active", "onboarding", "churned"];
const attributes = (value: unknown) => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "wrong_type";
  for (const [name, member] of Object.entries(value)) {
    if (!/^[A-Za-z]\w*$/.test(name)) return "not_allowed";
    if (typeof member === "object" && member !== null) return `/${name} wrong_type`;
  }
  return undefined;
};
const externalId = orNull(short);
const url = orNull(matching(/^https?:\/\//, "invalid_url"));
const newAccount = {
  name: text,
  externalId: short,
  mrr: number,
  status: oneOf(...given),
  attributes,
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
  attributes,
};
const rules: Record<Kind, Record<string, Rule>> = {
  accounts: account,
  contacts: { name: text, externalId, email: orNull(email), attributes },
  meetings: { title: text, externalId, startAt: timestamp, endAt: timestamp },
  requests: { title: text, externalId, status: oneOf(...requestStatuses), severity, requestedAt: timestamp },
};

const operators = ["", "[gt]", "[gte]", "[lt]", "[lte]", "[in]"];
const ranges = (...names: string[]) => names.flatMap((name) => operators.map((operator) => name + operator));
const pageParameters = ["page", "pageSize", "cursor"];
const listParameters = [...pageParameters, "sortBy", "sortOrder"];
const rowParameters = [
  "fields",
  "search",
  "externalId",
  "externalId[in]",
  "hasExternalId",
  ...ranges("updatedAt"),
];
const ofAttributes = ranges("attributes.plan", "attributes.seats", "attributes.trial");
const filters: Record<Kind, readonly string[]> = {
  accounts: [
    ...["include", "status", "tier"],
    ...ranges("mrr", "createdAt", "contactActivityAt", "healthScore"),
    ...ofAttributes,
  ],
  contacts: ["email", "email[in]", ...ranges("lastSeenAt"), ...ofAttributes],
  meetings: ranges("startAt", "endAt"),
  requests: ["status", ...ranges("severity", "requestedAt", "resolvedAt")],
};

/** The query parameters of an operation. */
export function parametersOf({ op, kind, id }: Pick<Asked, "op" | "kind" | "id">): readonly string[] {
  if (op === "changes") return ["after", "limit", "resource", "action"];
  if (op === "history") return pageParameters;
  if (op === "usage" || op === "usageSums") return [...pageParameters, "from", "to", "event"];
  if (op === "ranking") return ["page", "pageSize", "from", "to", "event"];
  if (op === "attributes") return ["resource"];
  if (op === "health") return ["asOf"];
  if (op === "healths") return [...listParameters, "tier", ...ranges("updatedAt")];
  if (op === "unmatched") return [...listParameters, "search"];
  if (op === "list") {
    const isOfAll = kind !== "accounts" && id === undefined;
    return [...listParameters, ...rowParameters, ...filters[kind], ...(isOfAll ? ["accountId"] : [])];
  }
  if (op === "listKeys") return listParameters;
  if (op === "getKey") return [];
  const isPlain = ["events", "seen", "delete", "batch", "upsert", "erase", "createKey", "revokeKey"].includes(
    op,
  );
  if (isPlain) return ["dryRun"];
  const shape = kind === "accounts" ? ["fields", "include"] : ["fields"];
  return op === "get" ? shape : [...shape, "dryRun"];
}

/** Throws the reply of a rejection of the body of a write of one row that does not depend on stored rows or on the time. */
export function refuseBody({ op, kind, body }: Asked): void {
  if (op !== "create" && op !== "patch" && op !== "put") return;
  const known = op === "create" && kind === "accounts" ? newAccount : rules[kind];
  const isContact = kind === "contacts";
  refuseMembers(known, op === "create" && !isContact ? kinds[kind].required : [], body);
  if (op === "create" && isContact && absentMembers(kind, body).length > 0) throw invalid("/name required");
}

/** The same for an account of an upsert. */
export function refuseUpsert({ contacts, meetings, requests, ...members }: Body): void {
  refuseMembers({ ...rules.accounts, externalId: text }, ["externalId"], members);
  for (const [kind, items] of Object.entries({ contacts, meetings, requests }))
    for (const [i, item] of ((items ?? []) as Body[]).entries())
      prefixed(`/${kind}/${i}`, () => {
        // Safe: the names of the lists.
        const known = { ...rules[kind as Kind], externalId: text };
        refuseMembers(known, kind === "contacts" ? [] : ["externalId"], item);
        if (item.externalId === undefined && !item.email) throw invalid("/externalId required");
      });
}

/** The rejections that depend on the time. */
export function refuseAtRun({ op, kind, body }: Asked, now: number): void {
  if (op === "patch" && Object.keys(body).length === 0) throw new Refusal(400, "no_valid_fields");
  if ((op === "patch" || op === "put") && kind === "accounts") refuseInFuture(body, now);
}

export function refuseInFuture({ contactActivityAt }: Body, now: number): void {
  if (Date.parse(String(contactActivityAt)) > now) throw invalid("/contactActivityAt in_future");
}

function refuseMembers(known: Record<string, Rule>, required: readonly string[], body: Body): void {
  const absent = required.filter((name) => body[name] === undefined);
  const wrong = Object.entries(known).flatMap(([name, rule]) => {
    const code = body[name] === undefined ? undefined : rule(body[name]);
    return code === undefined ? [] : [`/${name}${code.startsWith("/") ? "" : " "}${code}`];
  });
  if (absent.length + wrong.length > 0) throw invalid(...absent.map((name) => `/${name} required`), ...wrong);
}
