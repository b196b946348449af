import { type Static, Type } from "@sinclair/typebox";
import { requestStatuses } from "../../db/schema.ts";
import { externalIdFilter, listQuerySchema, searchFilter } from "../http/validation/list-shapes.ts";
import {
  accountReference,
  choice,
  externalId,
  integer,
  nullableText,
  text,
  titleConstraints,
} from "../http/validation/shapes.ts";
import { featureRequestList } from "./store.ts";

export const RequestListQuery = listQuerySchema(featureRequestList, {
  search: Type.Optional(searchFilter("title")),
  externalId: Type.Optional(externalIdFilter("request")),
  status: Type.Optional(choice(requestStatuses, { description: "Only requests with this status" })),
});
export type RequestQuery = Static<typeof RequestListQuery>;

const members = {
  title: text({ ...titleConstraints, examples: ["Single sign-on"] }),
  externalId: Type.Optional(
    nullableText({
      ...externalId,
      description: `${externalId.description}; null or an empty text means none`,
    }),
  ),
  status: Type.Optional(
    choice(requestStatuses, { description: "Open by default in a new request. Every transition is allowed" }),
  ),
  severity: Type.Optional(
    integer({
      minimum: 1,
      maximum: 5,
      description: "From 1 (slight) to 5 (severe); 3 by default in a new request",
    }),
  ),
  requestedAt: Type.Optional(
    text({
      format: "iso-8601",
      description:
        "ISO 8601, UTC without an offset, not after resolvedAt; now by default in a new request. Up to 5 minutes ahead counts as now",
      examples: ["2026-01-02T03:04:05.678Z"],
    }),
  ),
  resolvedAt: Type.Optional(
    nullableText({
      format: "iso-8601",
      description:
        "ISO 8601, UTC without an offset, not before requestedAt; only with the status Done or Declined. Up to 5 minutes ahead counts as now. By default, and with null, the time at which the status became Done or Declined",
      examples: ["2026-01-05T06:07:08.9Z"],
    }),
  ),
};
const example = { title: "Single sign-on", severity: 4, requestedAt: "2026-01-02T03:04:05.678Z" };
const options = { additionalProperties: true, examples: [example] };
const { externalId: _, ...putMembers } = members;

export const NewRequestBody = Type.Object(members, { ...options, $id: "NewRequest" });
export const RequestChangesBody = Type.Partial(Type.Object(members), {
  ...options,
  $id: "RequestChanges",
  description: "At least one member",
  examples: [{ status: "Done" }],
});
export const RequestPutBody = Type.Partial(Type.Object({ ...accountReference, ...putMembers }), {
  ...options,
  $id: "RequestPut",
  examples: [{ accountExternalId: "acme", ...example, status: "Planned" }],
});
