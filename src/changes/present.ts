import { NO_ACCOUNT } from "../core/changes/changes.ts";
import { formatTimestamp } from "../core/timestamps.ts";
import type { ChangeRow } from "./list.ts";
import { presentSides } from "./sides.ts";

/** The formats of the feed and of the stream. */
export const changeFormats = ["accountd", "cloudevents"] as const;
export type ChangeFormat = (typeof changeFormats)[number];

/** Returns a function that presents a change of the organization. Default: `accountd`. */
export function presenterOf(
  format: ChangeFormat | undefined,
  { organizationId }: { organizationId: number },
) {
  return (row: ChangeRow) =>
    format === "cloudevents" ? presentCloudEvent(organizationId, row) : presentChange(row);
}

/** A change as the API shows it: `Change` of the OpenAPI document. */
export function presentChange(row: ChangeRow) {
  const { sequence, resource, action, resourceId, accountId, requestId, keyId, keyName } = row;
  const { before, after } = presentSides(row);
  return {
    sequence,
    type: `${resource}.${action}`,
    time: formatTimestamp(row.changedAt),
    resourceId,
    accountId: accountId === NO_ACCOUNT ? null : accountId,
    actor: keyId === null ? { type: row.actorType } : { type: "key", id: keyId, name: keyName ?? "" },
    requestId,
    before,
    after,
  };
}

/**
 * A change as a structured event of CloudEvents 1.0, in its JSON format. `source` and `id` identify the event: the id of an
 * organization is constant, its name is not.
 */
export function presentCloudEvent(organizationId: number, row: ChangeRow) {
  const data = presentChange(row);
  return {
    specversion: "1.0",
    id: String(row.sequence),
    source: `urn:accountd:organization:${organizationId}`,
    type: data.type,
    subject: `${row.resource}/${row.resourceId}`,
    time: data.time,
    datacontenttype: "application/json",
    data,
  };
}
