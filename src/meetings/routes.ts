import { createSubResourceRoutes } from "../http/resource/resource-routes.ts";
import { MeetingListQuery, meetingBodies } from "./input.ts";
import { Meeting, presentMeeting } from "./model.ts";
import { meetingList, meetingStore } from "./store.ts";

/** The operations on meetings. */
export const meetingRoutes = createSubResourceRoutes({
  plural: "meetings",
  noun: "meeting",
  title: "Meeting",
  shape: Meeting,
  query: MeetingListQuery,
  bodies: meetingBodies,
  present: presentMeeting,
  list: meetingList,
  store: meetingStore,
});
