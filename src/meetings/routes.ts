import { tenantRoutes } from "../http/guard/guard.ts";
import { createResourceHandlers } from "../http/resource/handlers.ts";
import { createResourceSchemas } from "../http/resource/schemas.ts";
import { createResourceOperations } from "../http/resource/write-operations.ts";
import { MeetingListQuery, meetingBodies } from "./input.ts";
import { Meeting, presentMeeting } from "./model.ts";
import { meetingList, meetingStore } from "./store.ts";

const names = { plural: "meetings", noun: "meeting", title: "Meeting", idName: "meetingId" } as const;
const schemas = createResourceSchemas(names, {
  resource: Meeting,
  query: MeetingListQuery,
  ...meetingBodies,
});
const handlers = createResourceHandlers(names, {
  present: presentMeeting,
  list: meetingList,
  store: meetingStore,
});

/** The writes that batches may have. */
export const meetingOperations = createResourceOperations(names, schemas, handlers.writes);

/** The operations on meetings. */
export const meetingRoutes = tenantRoutes("/api/v1")
  .get("/accounts/:accountId/meetings", handlers.list, schemas.list)
  .post("/accounts/:accountId/meetings", handlers.create, schemas.create)
  .get("/meetings/:meetingId", handlers.get, schemas.get)
  .patch("/meetings/:meetingId", handlers.update, schemas.update)
  .delete("/meetings/:meetingId", handlers.delete, schemas.delete)
  .get("/meetings/external/:externalId", handlers.getByExternalId, schemas.getByExternalId)
  .delete("/meetings/external/:externalId", handlers.deleteByExternalId, schemas.deleteByExternalId)
  .put("/meetings/external/:externalId", handlers.put, schemas.put)
  .get("/meetings", handlers.listAll, schemas.listAll);
