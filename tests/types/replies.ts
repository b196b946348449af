import type { Treaty } from "@elysiajs/eden";
import type { ProblemCode, ViolationCode } from "../../src/core/errors.ts";
import type { operations } from "./operations.ts";

/** What each status of an operation's reply has as its body: written down here, and not taken from the source. */
type Replies<Success, Failure extends number> = Success & Record<Failure, Problem>;
type Problem = {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ProblemCode;
  errors?: { pointer?: string; parameter?: string; header?: string; code: ViolationCode; detail: string }[];
  requestId?: string;
};
type Query = 400 | 401 | 403 | 429 | 500 | 503;
type Read = Query | 404;
type Body = Query | 413 | 415;
type Write = Body | 404;
type Conflict = 409 | 422;
/** Of a write of one row that exists, which may have preconditions. */
type Change = Write | 412;
/** The successes of a GET of one row. */
type Found<T> = { 200: Data<T>; 304: undefined };

type Data<T> = { data: T };
type List<T> = { data: T[]; pagination: Pagination | CursorPagination };
type CursorPagination = { pageSize: number; hasNextPage: boolean; nextCursor: string | null };
type Pagination = {
  page: number;
  pageSize: number;
  total: number;
  totalPages: number;
  hasNextPage: boolean;
  hasPrevPage: boolean;
};
type Times = { createdAt: string; updatedAt: string };
type Lists = {
  contacts: { id: number; name: string; email: string | null }[];
  meetings: { id: number; title: string; startAt: string; endAt: string }[];
  requests: { id: number; title: string; status: Status; severity: number; requestedAt: string }[];
};
type AccountStatus = "active" | "onboarding" | "churned" | "inactive";
type Attributes = Record<string, string | number | boolean>;
type Included = {
  status?: AccountStatus;
  health?: Score;
  contactActivity?: { at: string; source: string } | null;
  attributes?: Attributes;
};
type CreatedAccount = { id: number; name: string; externalId: string | null; mrr: number } & Times &
  Record<"active" | "churned" | "onboarding", boolean>;
type UpdatedAccount = CreatedAccount & { contactActivityAt: string | null };
type ListedAccount = CreatedAccount & { logoUrl: string | null };
type Account = ListedAccount & Lists;
type OfAccount = { id: number; accountId: number; externalId: string | null } & Times;
type Contact = OfAccount & {
  name: string;
  email: string | null;
  lastSeenAt: string | null;
  attributes: Attributes;
};
type Status = "Open" | "Planned" | "Started" | "Done" | "Declined";
type Tier = "healthy" | "attention" | "at_risk" | "critical" | null;
type Score = { score: number | null; tier: Tier; coverage: number };

/** One of each kind of operation; the typed client of `clients/typescript` has the types of all. */
type Expected = {
  listAccounts: Replies<{ 200: List<ListedAccount & Included & Partial<Lists>> }, Query>;
  createAccount: Replies<{ 201: Data<CreatedAccount & Included & Partial<Lists>> }, Body | Conflict>;
  getAccount: Replies<Found<Account & Included>, Read>;
  updateAccount: Replies<{ 200: Data<UpdatedAccount & Included & Partial<Lists>> }, Change | Conflict>;
  putAccount: Replies<
    Record<200 | 201, Data<UpdatedAccount & Included & Partial<Lists>>>,
    Body | 412 | Conflict
  >;
  deleteAccount: Replies<{ 204: undefined }, Read | 412 | Conflict>;
  listContactsOfAccount: Replies<{ 200: List<Contact> }, Read>;
  listContacts: Replies<{ 200: List<Contact> }, Query>;
  createContact: Replies<{ 201: Data<Contact> }, Write | Conflict>;
};

type Calls = ReturnType<typeof operations>;
type RepliesOf<Name extends keyof Calls> =
  Awaited<ReturnType<Calls[Name]>> extends Treaty.TreatyResponse<infer Found> ? Found : never;

/** Both types, with their intersections merged, are the same: optional members and `any` differ from others. */
type IsSame<One, Other> =
  (<T>() => T extends Merged<One> ? 1 : 2) extends <T>() => T extends Merged<Other> ? 1 : 2 ? true : false;
type Merged<T> = T extends object ? { [Name in keyof T]: Merged<T[Name]> } : T;

type Mismatch = {
  [Name in keyof Expected]: IsSame<RepliesOf<Name>, Expected[Name]> extends true ? never : Name;
}[keyof Expected];

/** Does not compile when an operation's reply has another type: the error names the operation as missing here. */
export const mismatches: Record<Mismatch, true> = {};
