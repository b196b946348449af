import { childRoutes } from "../http/resource-routes.ts";
import { MeetingChangesBody, MeetingListQuery, MeetingPutBody, NewMeetingBody } from "./input.ts";
import { Meeting, MeetingPage, presentMeeting } from "./model.ts";
import { listMeetings, meetingStore } from "./store.ts";

/** The meetings with accounts. */
export const meetingRoutes = childRoutes({
  plural: "meetings",
  noun: "meeting",
  title: "Meeting",
  shape: Meeting,
  page: MeetingPage,
  query: MeetingListQuery,
  newBody: NewMeetingBody,
  changesBody: MeetingChangesBody,
  putBody: MeetingPutBody,
  present: presentMeeting,
  list: listMeetings,
  store: meetingStore,
});
