import type { Treaty } from "@elysiajs/eden";
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
type ProblemCode =
  | "invalid_request"
  | "unknown_parameter"
  | "invalid_cursor"
  | "unknown_member"
  | "malformed_json"
  | "malformed_url"
  | "invalid_host"
  | "no_valid_fields"
  | "unauthorized"
  | "insufficient_scope"
  | "rate_limited"
  | "not_found"
  | "method_not_allowed"
  | "external_id_conflict"
  | "contact_email_conflict"
  | "attribute_type_conflict"
  | "idempotency_key_in_use"
  | "precondition_failed"
  | "payload_too_large"
  | "too_many_values"
  | "unsupported_media_type"
  | "idempotency_key_reused"
  | "batch_failed"
  | "internal_error"
  | "store_busy"
  | "too_busy"
  | "query_timeout"
  | "outcome_unknown"
  | "store_failed";
/** The codes of a value, wherever it is sent. */
type ValueCode =
  | "required"
  | "wrong_type"
  | "not_allowed"
  | "too_short"
  | "too_long"
  | "blank"
  | "out_of_range"
  | "invalid_timestamp"
  | "invalid_date"
  | "invalid_email"
  | "invalid_url"
  | "ill_formed_text"
  | "in_future"
  | "too_many";
type ViolationCode =
  | ValueCode
  | "in_past"
  | "repeated"
  | "before_start"
  | "after_end"
  | "after_resolved"
  | "after_to"
  | "range_too_long"
  | "external_id_conflict"
  | "contact_email_conflict"
  | "attribute_type_conflict"
  | "insufficient_scope"
  | "not_found"
  | "method_not_allowed"
  | "no_valid_fields"
  | "unknown_member"
  | "malformed_url";
type ItemCode =
  | ValueCode
  | "duplicate"
  | "parked"
  | "superseded"
  | "contact_email_conflict"
  | "attribute_type_conflict"
  | "no_account"
  | "unknown_account"
  | "too_old"
  | "too_large"
  | "too_deep"
  | "reserved_source";
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
type ListedAttribute = {
  name: string;
  type: "string" | "number" | "boolean";
  count: number;
  values: { value: string | number | boolean; count: number }[];
};
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
type Meeting = OfAccount & { title: string; startAt: string; endAt: string };
type Status = "Open" | "Planned" | "Started" | "Done" | "Declined";
type Request = OfAccount & {
  title: string;
  status: Status;
  severity: number;
  requestedAt: string;
  resolvedAt: string | null;
};
type ItemOutcomes = { items: { index: number; code: ItemCode; detail: string }[] };
type EventCounts = "accepted" | "duplicates" | "parked" | "rejected" | "ignored" | "undeduplicated";
type ErasureCount = "contacts" | "events" | "usageUsers" | "changes" | "idempotentReplies";
type EventReceipt = Record<EventCounts, number> & { traits?: number } & ItemOutcomes;
type LastSeenReceipt = { accepted: number; rejected: number } & ItemOutcomes;
type BatchOutcome = {
  results: { status: number; body: Record<string, unknown> | null }[];
  succeeded: number;
  failed: number;
};
type UpsertOutcome = {
  results: {
    result: "created" | "updated" | "unchanged" | "failed";
    id?: number;
    problem?: Record<string, unknown>;
  }[];
} & Record<"created" | "updated" | "unchanged" | "failed", number>;
type UnmatchedId = { externalId: string; count: number; firstAt: string; lastAt: string };
type UsageDay = { day: string; event: string; count: number; users: number };
type RankedAccount = {
  accountId: number;
  name: string;
  externalId: string | null;
  count: number;
  lastAt: string;
};
type Tier = "healthy" | "attention" | "at_risk" | "critical" | null;
type Score = { score: number | null; tier: Tier; coverage: number };
type ListedHealth = Score & { accountId: number; name: string; externalId: string | null; mrr: number };
type Factor =
  | "contactActivity"
  | "usageRecency"
  | "usageTrend"
  | "openRequests"
  | "meetings"
  | "requestResolution";
type PendingEvents = { pendingEvents?: number };
type AccountHealth = Score &
  PendingEvents & {
    asOf: string;
    contactActivity: { at: string | null; source: string | null };
    factors: { key: Factor; value: number; score: number; weight: number; contribution: number | null }[];
  };
type HealthSummary = {
  asOf: string;
  tiers: { tier: Tier; accounts: number; mrr: number }[];
  distribution: number[];
};
type HealthDay = { day: string; score: number | null; tier: Tier };
type ApiKey = {
  id: number;
  name: string;
  lastFour: string;
  rateLimit: number | null;
  scopes: ("read" | "write" | "events" | "admin")[];
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
  lastUsedAt: string | null;
};
type ChangeBase = {
  sequence: number;
  time: string;
  resourceId: number;
  accountId: number;
  actor: { type: "key"; id: number; name: string } | { type: "cli" } | { type: "job" };
  requestId: string | null;
};
type Typed<Type extends string, Before, After> = ChangeBase & { type: Type; before: Before; after: After };
type Changed<Row> = Partial<Row extends { attributes: Attributes } ? WithRemoved<Row> : Row>;
type WithRemoved<Row> = Omit<Row, "attributes"> & {
  attributes: Record<string, string | number | boolean | null>;
};
type Changes<Noun extends string, Row> =
  | Typed<`${Noun}.created`, null, Row>
  | Typed<`${Noun}.updated`, Changed<Row>, Changed<Row>>
  | Typed<`${Noun}.deleted`, Row, null>;
type RecordedAccount = UpdatedAccount & {
  logoUrl: string | null;
  status: AccountStatus;
  attributes: Attributes;
};
type RecordedHealth = { tier: Tier; score: number | null };
type AnyChange =
  | Changes<"account", RecordedAccount>
  | Typed<"account.health_changed", RecordedHealth, RecordedHealth>
  | Changes<"contact", Contact>
  | Changes<"meeting", Meeting>
  | Changes<"request", Request>;
type Feed = { data: AnyChange[]; pagination: { limit: number; hasNextPage: boolean; nextAfter: number } };
type Probe = Replies<{ 200: Data<{ status: "ok" }> }, 500>;

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
  getAccountByExternalId: Replies<Found<Account & Included>, Read>;
  updateAccountByExternalId: Replies<
    { 200: Data<UpdatedAccount & Included & Partial<Lists>> },
    Change | Conflict
  >;
  deleteAccountByExternalId: Replies<{ 204: undefined }, Read | 412 | Conflict>;
  listAttributes: Replies<{ 200: { data: ListedAttribute[] } }, Query>;
  listChanges: Replies<{ 200: Feed }, Query>;
  getAccountHistory: Replies<{ 200: List<AnyChange> }, Read>;

  listContactsOfAccount: Replies<{ 200: List<Contact> }, Read>;
  listContacts: Replies<{ 200: List<Contact> }, Query>;
  createContact: Replies<{ 201: Data<Contact> }, Write | Conflict>;
  getContact: Replies<Found<Contact>, Read>;
  updateContact: Replies<{ 200: Data<Contact> }, Change | Conflict>;
  putContact: Replies<Record<200 | 201, Data<Contact>>, Change | Conflict>;
  getContactByExternalId: Replies<Found<Contact>, Read>;
  deleteContactByExternalId: Replies<{ 204: undefined }, Read | 412 | Conflict>;
  deleteContact: Replies<{ 204: undefined }, Read | 412 | Conflict>;

  listMeetingsOfAccount: Replies<{ 200: List<Meeting> }, Read>;
  listMeetings: Replies<{ 200: List<Meeting> }, Query>;
  createMeeting: Replies<{ 201: Data<Meeting> }, Write | Conflict>;
  getMeeting: Replies<Found<Meeting>, Read>;
  updateMeeting: Replies<{ 200: Data<Meeting> }, Change | Conflict>;
  putMeeting: Replies<Record<200 | 201, Data<Meeting>>, Change | Conflict>;
  getMeetingByExternalId: Replies<Found<Meeting>, Read>;
  deleteMeetingByExternalId: Replies<{ 204: undefined }, Read | 412 | Conflict>;
  deleteMeeting: Replies<{ 204: undefined }, Read | 412 | Conflict>;

  listRequestsOfAccount: Replies<{ 200: List<Request> }, Read>;
  createRequest: Replies<{ 201: Data<Request> }, Write | Conflict>;
  getRequest: Replies<Found<Request>, Read>;
  updateRequest: Replies<{ 200: Data<Request> }, Change | Conflict>;
  putRequest: Replies<Record<200 | 201, Data<Request>>, Change | Conflict>;
  getRequestByExternalId: Replies<Found<Request>, Read>;
  deleteRequestByExternalId: Replies<{ 204: undefined }, Read | 412 | Conflict>;
  deleteRequest: Replies<{ 204: undefined }, Read | 412 | Conflict>;
  listRequests: Replies<{ 200: List<Request> }, Query>;

  sendEvents: Replies<{ 200: Data<EventReceipt> }, Body | Conflict>;
  listUnmatchedIds: Replies<{ 200: List<UnmatchedId> }, Query>;
  sendSegmentBatch: Replies<{ 200: Data<EventReceipt> }, Body | Conflict>;
  importSegmentBatch: Replies<{ 200: Data<EventReceipt> }, Body | Conflict>;
  sendBrowserBatch: Replies<{ 200: Data<EventReceipt> }, Body | Conflict>;
  sendTrackCall: Replies<{ 200: Data<EventReceipt> }, Body | Conflict>;
  sendIdentifyCall: Replies<{ 200: Data<EventReceipt> }, Body | Conflict>;
  sendGroupCall: Replies<{ 200: Data<EventReceipt> }, Body | Conflict>;
  sendPageCall: Replies<{ 200: Data<EventReceipt> }, Body | Conflict>;
  sendAliasCall: Replies<{ 200: Data<EventReceipt> }, Body | Conflict>;
  sendScreenCall: Replies<{ 200: Data<EventReceipt> }, Body | Conflict>;
  sendBrowserTrackCall: Replies<{ 200: Data<EventReceipt> }, Body | Conflict>;
  sendBrowserIdentifyCall: Replies<{ 200: Data<EventReceipt> }, Body | Conflict>;
  sendBrowserGroupCall: Replies<{ 200: Data<EventReceipt> }, Body | Conflict>;
  sendBrowserPageCall: Replies<{ 200: Data<EventReceipt> }, Body | Conflict>;
  sendBrowserAliasCall: Replies<{ 200: Data<EventReceipt> }, Body | Conflict>;
  sendBrowserScreenCall: Replies<{ 200: Data<EventReceipt> }, Body | Conflict>;
  getUsage: Replies<{ 200: List<UsageDay> & PendingEvents }, Read>;
  listUsage: Replies<{ 200: List<UsageDay & { accounts: number }> }, Query>;
  rankAccountsByUsage: Replies<{ 200: { data: RankedAccount[]; pagination: Pagination } }, Query>;
  sendLastSeen: Replies<{ 200: Data<LastSeenReceipt> }, Body | Conflict>;
  getAccountHealth: Replies<{ 200: Data<AccountHealth> }, Read>;
  getHealthHistory: Replies<{ 200: Data<HealthDay[]> }, Read>;
  listHealth: Replies<{ 200: List<ListedHealth> }, Query>;
  getHealthSummary: Replies<{ 200: Data<HealthSummary> }, Query>;
  upsertAccounts: Replies<{ 200: Data<UpsertOutcome> }, Body | Conflict>;
  runBatch: Replies<{ 200: Data<BatchOutcome> }, Body | Conflict>;
  listKeys: Replies<{ 200: List<ApiKey> }, Query>;
  createKey: Replies<{ 201: Data<ApiKey & { key?: string }> }, Body | Conflict>;
  getKey: Replies<{ 200: Data<ApiKey> }, Read>;
  revokeKey: Replies<{ 204: undefined }, Read | Conflict>;
  exportAccountsAsCsv: Replies<{ 200: string }, Query>;
  exportAccountsAsJsonLines: Replies<{ 200: string }, Query>;
  erasePerson: Replies<{ 200: Data<Record<ErasureCount, number> & { filePending?: true }> }, Body | Conflict>;
  getLiveness: Replies<Probe, 400>;
  getReadiness: Replies<Probe, 400 | 503>;
};

type Calls = ReturnType<typeof operations>;
type RepliesOf<Name extends keyof Calls> =
  Awaited<ReturnType<Calls[Name]>> extends Treaty.TreatyResponse<infer Found> ? Found : never;

/** Both types, with their intersections merged, are the same: optional members and `any` differ from others. */
type IsSame<One, Other> =
  (<T>() => T extends Merged<One> ? 1 : 2) extends <T>() => T extends Merged<Other> ? 1 : 2 ? true : false;
type Merged<T> = T extends object ? { [Name in keyof T]: Merged<T[Name]> } : T;

type Mismatch = {
  [Name in keyof Calls | keyof Expected]: Name extends keyof Calls & keyof Expected
    ? IsSame<RepliesOf<Name>, Expected[Name]> extends true
      ? never
      : Name
    : Name;
}[keyof Calls | keyof Expected];

/** Does not compile when an operation's reply has another type: the error names the operation as missing here. */
export const mismatches: Record<Mismatch, true> = {};
