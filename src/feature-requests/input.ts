import { Type } from "@sinclair/typebox";
import { subResourceBodies } from "../http/resource/field-shapes.ts";
import { externalIdFilter, listQuerySchema, searchFilter } from "../http/validation/list-shapes.ts";
import { choice } from "../http/validation/shapes.ts";
import { requestFields, requestStatuses } from "../shared/fields/requests.ts";
import { featureRequestList } from "./store.ts";

export const RequestListQuery = listQuerySchema(featureRequestList, {
  search: Type.Optional(searchFilter("title")),
  externalId: Type.Optional(externalIdFilter("request")),
  status: Type.Optional(choice(requestStatuses, { description: "Only requests with this status" })),
});

const example = { title: "Single sign-on", severity: 4, requestedAt: "2026-01-02T03:04:05.678Z" };
export const requestBodies = subResourceBodies(requestFields, {
  title: "Request",
  example,
  change: { status: "Done" },
  put: { ...example, status: "Planned" },
});
