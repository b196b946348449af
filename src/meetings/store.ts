import { and, desc, eq, lte } from "drizzle-orm";
import { accounts, meetings } from "../../db/schema.ts";
import { inputs, integerInput } from "../../db/statements.ts";
import { insert, jsonRows, type OwnRows } from "../tenant.ts";

/** An account's 20 latest meetings among those begun by the input `now`, latest first, as JSON text. */
export const embeddedMeetings = jsonRows({
  fields: { id: meetings.id, title: meetings.title, startAt: meetings.startAt, endAt: meetings.endAt },
  from: meetings,
  where: and(eq(meetings.accountId, accounts.id), lte(meetings.startAt, integerInput("now"))),
  orderBy: [desc(meetings.startAt), desc(meetings.id)],
  limit: 20,
});

const insertMeeting = insert({
  into: meetings,
  values: inputs("accountId", "title", "startAt", "endAt", "createdAt"),
  returning: { id: meetings.id },
});

export type NewMeeting = Omit<typeof meetings.$inferSelect, "id" | "organizationId">;

/** Adds a meeting to an account of the organization, within the caller's transaction. */
export async function addMeeting(rows: OwnRows, meeting: NewMeeting): Promise<void> {
  await rows.first(insertMeeting, meeting);
}
