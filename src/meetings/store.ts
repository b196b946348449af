import { and, desc, eq, lte } from "drizzle-orm";
import { accounts, meetings } from "../../db/schema.ts";
import { contains, integerInput, type Row, textInput } from "../../db/statements.ts";
import { invalidField, type Problem } from "../core/errors.ts";
import { fold } from "../core/folding.ts";
import { defineList } from "../core/list-query.ts";
import { defineResource } from "../core/resource.ts";
import { jsonArray } from "../core/tenant.ts";
import { parseTimestamp } from "../core/timestamps.ts";
import { healthIsDue } from "../health-scores/stale.ts";

/** An account's 20 latest meetings among those begun by the input `now`, latest first, as JSON text. */
export const embeddedMeetings = jsonArray({
  fields: { id: meetings.id, title: meetings.title, startAt: meetings.startAt, endAt: meetings.endAt },
  from: meetings,
  where: and(eq(meetings.accountId, accounts.id), lte(meetings.startAt, integerInput("now"))),
  orderBy: [desc(meetings.startAt), desc(meetings.id)],
  limit: 20,
});

const fields = {
  id: meetings.id,
  accountId: meetings.accountId,
  externalId: meetings.externalId,
  title: meetings.title,
  startAt: meetings.startAt,
  endAt: meetings.endAt,
  createdAt: meetings.createdAt,
  updatedAt: meetings.updatedAt,
};
export type MeetingRow = Row<typeof fields>;
export type MeetingInput = { externalId?: string | null; title: string; startAt: string; endAt: string };

/** Meetings. Beside what every child's store throws, `invalid_request` for an end before the start. */
export const meetingStore = defineResource<typeof fields, MeetingInput>({
  noun: "meeting",
  table: meetings,
  fields,
  columns: ["title", "foldedTitle", "startAt", "endAt"],
  required: ["title", "startAt", "endAt"],
  columnsOf(given, before) {
    const title = given.title ?? before?.title ?? "";
    const startAt = timestampOr(given.startAt, before?.startAt);
    const endAt = timestampOr(given.endAt, before?.endAt);
    if (endAt < startAt) throw endBeforeStart(given);
    return { title, foldedTitle: fold(title), startAt, endAt };
  },
  changed: healthIsDue,
});

/** A page of an account's meetings. */
export const listMeetings = defineList({
  from: meetings,
  key: meetings.id,
  fields,
  sortBy: {
    startAt: meetings.startAt,
    endAt: meetings.endAt,
    title: meetings.foldedTitle,
    createdAt: meetings.createdAt,
    updatedAt: meetings.updatedAt,
  },
  order: ["startAt", "asc"],
  filters: {
    accountId: eq(meetings.accountId, integerInput("accountId")),
    externalId: eq(meetings.externalId, textInput("externalId")),
    search: contains(meetings.foldedTitle, textInput("search")),
  },
  folded: ["search"],
});

/** The moment that is given, or the stored one. The shapes of bodies let no other text in. */
function timestampOr(text: string | undefined, stored: number | undefined): number {
  return (text === undefined ? stored : parseTimestamp(text)) ?? 0;
}

/** Blames what was sent: the end when both were. */
function endBeforeStart({ endAt }: Partial<MeetingInput>): Problem {
  return endAt === undefined
    ? invalidField("/startAt", "after_end", "must not be after endAt")
    : invalidField("/endAt", "before_start", "must not be before startAt");
}
