import { type Static, Type } from "@sinclair/typebox";
import { changeActions, resourceTypes } from "../core/changes.ts";
import { parseStoredJson } from "../core/stored-json.ts";
import { formatTimestamp } from "../core/timestamps.ts";
import {
  choice,
  integer,
  listOf,
  nullableText,
  pageParameters,
  text,
  timestamp,
  wholeNumberParameter,
} from "../http/shapes.ts";
import type { ChangeRow, Feed } from "./list.ts";

const maxLimit = 1_000;

const types = [
  ...resourceTypes.flatMap((resource) =>
    (["created", "updated", "deleted"] as const).map((action) => `${resource}.${action}` as const),
  ),
  "account.health_changed" as const,
];
const ActorShape = Type.Object(
  {
    type: choice(["key", "cli", "job"], {
      description: "An API key, the command line, or a job of the service",
      examples: ["key"],
    }),
    id: Type.Optional(integer({ description: "The key's id", examples: [3] })),
    name: Type.Optional(text({ description: "The key's name at the time of the change", examples: ["crm"] })),
  },
  { $id: "Actor", description: "Who made a change; `id` and `name` for keys only" },
);
/** Which members there are depends on the change: clients get a type that has every name. */
const members = (description: string, examples: object[]) =>
  Type.Unsafe<Record<string, unknown> | null>(
    Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()], { description, examples }),
  );
const ChangeShape = Type.Object(
  {
    sequence: integer({
      minimum: 1,
      description: "Position in the organization's changes: 1, 2, 3 … in commit order, without gaps",
      examples: [17],
    }),
    type: choice(types, {
      description: "The resource and what happened to it",
      examples: ["account.updated"],
    }),
    time: timestamp("When the change was made, by the clock of the server; order changes by `sequence`"),
    resourceId: integer({ description: "The id of the changed row", examples: [42] }),
    accountId: integer({
      description: "The account of the row, after the change if it moved; the row itself if it is an account",
      examples: [42],
    }),
    actor: ActorShape,
    requestId: nullableText({
      description: "The `x-request-id` of the request; null for the command line and jobs",
      examples: ["0b6a3c1e"],
    }),
    before: members("The members before the change: those that differ, all for a delete, null for a create", [
      { mrr: 1000 },
    ]),
    after: members("The members after the change: those that differ, all for a create, null for a delete", [
      { mrr: 1250.5 },
    ]),
  },
  { $id: "Change", description: "A change of an account, a contact, a meeting or a request" },
);
const FeedPagination = Type.Object(
  {
    limit: integer({
      minimum: 1,
      maximum: maxLimit,
      description: "The requested limit",
      examples: [maxLimit],
    }),
    hasNextPage: Type.Boolean({
      description: "Whether there are later changes; with a filter they need not match",
      examples: [false],
    }),
    nextAfter: integer({ minimum: 0, description: "The `after` of the next request", examples: [17] }),
  },
  { $id: "ChangeFeedPagination", description: "How to continue" },
);
export const ChangeFeedReply = Type.Object(
  { data: Type.Array(ChangeShape), pagination: FeedPagination },
  { $id: "ChangeFeed" },
);
export const HistoryPage = listOf(ChangeShape, "AccountHistory");

export const ChangeFeedQuery = Type.Object(
  {
    after: Type.Optional(
      wholeNumberParameter({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        default: 0,
        description: "Only changes after this sequence number; 0 for the beginning",
      }),
    ),
    limit: Type.Optional(
      wholeNumberParameter({
        minimum: 1,
        maximum: maxLimit,
        default: maxLimit,
        description: "Maximum number of changes in the reply",
      }),
    ),
    resource: Type.Optional(choice(resourceTypes, { description: "Only changes of this resource" })),
    action: Type.Optional(choice(changeActions, { description: "Only changes of this kind" })),
  },
  { additionalProperties: true },
);
export const HistoryQuery = Type.Object(pageParameters, { additionalProperties: true });

export function presentChange(row: ChangeRow): Static<typeof ChangeShape> {
  const { sequence, resourceId, accountId, requestId, keyId, keyName } = row;
  return {
    sequence,
    // Safe: `core/changes.ts` writes the resource and the action.
    type: `${row.resource}.${row.action}` as Static<typeof ChangeShape>["type"],
    time: formatTimestamp(row.changedAt),
    resourceId,
    accountId,
    actor:
      keyId === null
        ? { type: row.actorType as "cli" | "job" }
        : { type: "key", id: keyId, name: keyName ?? "" },
    requestId,
    ...presentSides(row),
  };
}

export function presentFeed({ rows, hasNextPage, nextAfter }: Feed, limit: number) {
  return { data: rows.map(presentChange), pagination: { limit, hasNextPage, nextAfter } };
}

type Members = Record<string, unknown>;

/** `before` and `after` as the API shows them; of an update, only the members that differ. */
function presentSides({ resource, before, after }: ChangeRow): {
  before: Members | null;
  after: Members | null;
} {
  const [old, updated] = [presentMembers(resource, before), presentMembers(resource, after)];
  if (!old || !updated) return { before: old, after: updated };
  const changed = Object.keys(old).filter((name) => old[name] !== updated[name]);
  return { before: pick(old, changed), after: pick(updated, changed) };
}

/** Timestamps as text, and the status of an account also as its three flags. */
function presentMembers(resource: string, json: string | null): Members | null {
  if (json === null) return null;
  const presented: Members = {};
  // Safe: an object has members, of unknown values.
  for (const [name, value] of Object.entries(parseStoredJson(json) as Members)) {
    presented[name] = name.endsWith("At") && typeof value === "number" ? formatTimestamp(value) : value;
    if (resource === "account" && name === "status")
      Object.assign(presented, {
        active: value === "active",
        churned: value === "churned",
        onboarding: value === "onboarding",
      });
  }
  return presented;
}

function pick(members: Members, names: readonly string[]): Members {
  return Object.fromEntries(names.map((name) => [name, members[name]]));
}
