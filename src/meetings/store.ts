import { and, desc, eq, lte } from "drizzle-orm";
import { integerInput, withoutPostgresIndex } from "../../db/expressions.ts";
import { accounts, meetings } from "../../db/schema.ts";
import type { ResourceRows } from "../core/changes/changes.ts";
import { invalidField, type Problem } from "../core/errors.ts";
import { fold } from "../core/folding.ts";
import { externalIdFilters, ordersAndFilters } from "../core/lists/fields.ts";
import { defineList } from "../core/lists/list.ts";
import { externalIdConflict } from "../core/resource/definition.ts";
import { columnsOf, mergeInput } from "../core/resource/field-columns.ts";
import { defineSubResource } from "../core/resource/sub-resource.ts";
import { jsonArray } from "../core/tenant/statements.ts";
import type { InputOf } from "../shared/fields/field.ts";
import { embeddedMeetingFields, meetingFields } from "../shared/fields/meetings.ts";

/** An account's 20 latest meetings that have begun by the input `now`, latest first, as JSON text. */
export const embeddedMeetings = jsonArray({
  fields: columnsOf(meetingFields, meetings, embeddedMeetingFields),
  from: meetings,
  where: and(
    eq(meetings.accountId, accounts.id),
    withoutPostgresIndex(lte(meetings.startAt, integerInput("now"))),
  ),
  orderBy: [desc(meetings.startAt), desc(meetings.id)],
  limit: 20,
});

type MeetingRow = ResourceRows["meeting"];
type MeetingInput = InputOf<typeof meetingFields>;

const fields = { ...columnsOf(meetingFields, meetings), version: meetings.version };

/** Meetings. Throws `invalid_request` for an end before the start. */
export const meetingStore = defineSubResource<"meeting", MeetingInput>({
  type: "meeting",
  table: meetings,
  fields,
  folded: { foldedTitle: { of: "title" } },
  columnsOf(input, existing) {
    const columns = mergeInput<Pick<MeetingRow, "title" | "startAt" | "endAt">>(
      meetingFields,
      input,
      existing,
    );
    if (columns.endAt < columns.startAt) throw endBeforeStart(input);
    return columns;
  },
  required: ["title", "startAt", "endAt"],
  conflicts: [externalIdConflict("meeting", meetings)],
});

const { sortBy, filters } = ordersAndFilters(meetingFields, meetings);

/** The meetings of the organization, or of one account. */
export const meetingList = defineList({
  name: "meetings.list",
  from: meetings,
  key: meetings.id,
  fields,
  sortBy,
  defaultOrder: ["startAt", "asc"],
  filters: {
    accountId: { kind: "account", column: meetings.accountId, order: meetings.startAt },
    search: { kind: "search", columns: [[meetings.foldedTitle, fold]] },
    ...filters,
    ...externalIdFilters(meetings.externalId),
  },
});

/** Refers to the member that was sent, or to endAt when both were sent. */
function endBeforeStart({ endAt }: MeetingInput): Problem {
  return endAt === undefined
    ? invalidField("/startAt", "after_end", "must not be after endAt")
    : invalidField("/endAt", "before_start", "must not be before startAt");
}
