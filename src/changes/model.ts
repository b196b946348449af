import { type Static, type TObject, type TSchema, type TUnsafe, Type } from "@sinclair/typebox";
import { RecordedAccount } from "../accounts/model.ts";
import type { AttributeChanges } from "../core/attributes/attributes.ts";
import { RecordedHealth } from "../health-scores/model.ts";
import { HealthSettingsShape } from "../health-scores/settings-model.ts";
import { pascal } from "../http/openapi/problems.ts";
import { changedAttributesShape } from "../http/validation/attribute-shapes.ts";
import { listOf, pageParameters } from "../http/validation/list-shapes.ts";
import {
  choice,
  dataOf,
  integer,
  nullableInteger,
  nullableText,
  oneOf,
  text,
  timestamp,
} from "../http/validation/shapes.ts";
import { subResourceShapes } from "../resource-shapes.ts";
import { healthTiers } from "../shared/fields/tiers.ts";
import { type ResourceType, resources, subResourceNames } from "../shared/resources.ts";
import { maxLimit } from "./input.ts";
import type { ChangeRow, Feed } from "./list.ts";
import { presentChange } from "./present.ts";

/** The media type of a list of events (CloudEvents 1.0, JSON event format, 4). */
export const cloudEventsBatch = "application/cloudevents-batch+json";

const ActorShape = oneOf(
  [
    Type.Object({
      type: Type.Literal("key"),
      id: integer({ description: "The key's id", examples: [3] }),
      name: text({ description: "The key's name at the time of the change", examples: ["crm"] }),
    }),
    Type.Object({ type: Type.Literal("cli") }),
    Type.Object({ type: Type.Literal("job") }),
  ],
  { $id: "Actor", description: "Who made a change: an API key, the command line, or a job of the service" },
);
/** The members that every change has. */
const changeBase = {
  sequence: integer({
    minimum: 1,
    description: "Position in the organization's changes: 1, 2, 3 … in commit order, without gaps",
    examples: [17],
  }),
  time: timestamp("When the change was made, by the clock of the server; order changes by `sequence`"),
  resourceId: nullableInteger({
    description: "The id of the changed row; of health settings the organization's id",
    examples: [42],
  }),
  accountId: nullableInteger({
    description:
      "The account of the row, after the change if it moved; the row itself if it is an account; null if the change belongs to no account",
    examples: [42],
  }),
  actor: ActorShape,
  requestId: nullableText({
    description: "The `x-request-id` of the request; null for the command line and jobs",
    examples: ["0b6a3c1e"],
  }),
};

/** A change with this `type`, and the schemas of its two sides. */
function changeShape<const T extends string, Before extends TSchema, After extends TSchema>(
  type: T,
  before: Before,
  after: After,
) {
  const $id = pascal(type.replace(".", "_"));
  return Type.Object({ ...changeBase, type: Type.Literal(type), before, after }, { $id });
}

type ChangedShape<Row extends TObject> = TUnsafe<{
  [Name in keyof Static<Row>]?: Name extends "attributes" ? AttributeChanges : Static<Row>[Name];
}>;

/** The three changes of a resource. An update has the members that differ. */
function changeShapes<const T extends ResourceType, Row extends TObject>(resource: T, row: Row) {
  const attributes = "attributes" in row.properties && { attributes: changedAttributesShape };
  const shape = Type.Partial(Type.Object({ ...row.properties, ...attributes }), {
    $id: `Changed${pascal(resource)}`,
    description: "The fields that an update changed",
  });
  // Safe: the type of the same members.
  const changed = shape as unknown as ChangedShape<Row>;
  return [
    changeShape(`${resource}.created`, Type.Null(), row),
    changeShape(`${resource}.updated`, changed, changed),
    changeShape(`${resource}.deleted`, row, Type.Null()),
  ] as const;
}

const listedNouns = subResourceNames.map((name) => `a ${resources[name].noun}`).join(", ");
const shapes = [
  ...changeShapes("account", RecordedAccount),
  changeShape("account.health_changed", RecordedHealth, RecordedHealth),
  changeShape("health_settings.updated", HealthSettingsShape, HealthSettingsShape),
  ...subResourceNames.flatMap((name) => changeShapes(resources[name].noun, subResourceShapes[name].row)),
];
export const changeTypes = shapes.map(({ properties }): string => properties.type.const);
export const ChangeType = {
  ...choice(changeTypes, { description: "The type of a change", examples: ["account.health_changed"] }),
  $id: "ChangeType",
};
type ChangeView = Static<(typeof shapes)[number]>;
export const ChangeShape = oneOf(shapes, {
  $id: "Change",
  description: `A change of an account, ${listedNouns} or the health settings; \`type\` selects the fields of \`before\` and \`after\``,
  examples: [
    {
      sequence: 17,
      time: "2026-01-02T03:04:05.678Z",
      resourceId: 42,
      accountId: 42,
      actor: { type: "key", id: 3, name: "crm" },
      requestId: "0b6a3c1e",
      type: "account.updated",
      before: { mrr: 1000, updatedAt: "2026-01-01T03:04:05.678Z" },
      after: { mrr: 1250.5, updatedAt: "2026-01-02T03:04:05.678Z" },
    },
  ],
  discriminator: { propertyName: "type", mapping: Object.fromEntries(shapes.map(mappingOf)) },
});

function mappingOf({ $id, properties }: (typeof shapes)[number]) {
  return [properties.type.const, `#/components/schemas/${$id}`];
}
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
const CloudEventShape = Type.Object(
  {
    specversion: Type.Literal("1.0"),
    id: text({ description: "The `sequence` of the change", examples: ["17"] }),
    source: text({
      format: "uri",
      description: "`urn:accountd:organization:` followed by the organization's id",
      examples: ["urn:accountd:organization:1"],
    }),
    type: text({ description: "The `type` of the change", examples: ["account.updated"] }),
    subject: text({ description: "The resource and the `resourceId`", examples: ["account/42"] }),
    time: timestamp("The `time` of the change"),
    datacontenttype: Type.Literal("application/json"),
    data: ChangeShape,
  },
  { $id: "CloudEvent", description: "A change as an event of CloudEvents 1.0" },
);
/** `otherMediaTypes`: the schemas of the other formats by media type, for the OpenAPI document. */
export const ChangeFeedReply = {
  ...Type.Object({ data: Type.Array(ChangeShape), pagination: FeedPagination }, { $id: "ChangeFeed" }),
  otherMediaTypes: {
    [cloudEventsBatch]: Type.Array(CloudEventShape, { $id: "CloudEventBatch" }),
  },
};
const counted = (description: string) => integer({ minimum: 1, description, examples: [18] });
const tierOrNone = (description: string) =>
  Type.Union([choice(healthTiers), Type.Null()], {
    description: `${description}; null without a score`,
    examples: ["at_risk"],
  });
const TierMove = Type.Object(
  {
    from: tierOrNone("The tier before"),
    to: tierOrNone("The tier after"),
    count: counted("Number of changes from one tier to the other"),
    firstSequence: counted("The `sequence` of the first of them"),
  },
  { $id: "TierMove", description: "The number of changes from one tier to another" },
);
const TypeCount = Type.Object(
  {
    type: ChangeType,
    count: counted("Number of changes of the type"),
  },
  { $id: "ChangeTypeCount", description: "A type of changes, and their number" },
);
const Summary = Type.Object(
  {
    counts: Type.Array(TypeCount, { description: "Each type that a change has, in the order of the names" }),
    tierMoves: Type.Array(TierMove, {
      description: "The changes `account.health_changed` by both tiers, without the pairs that no change has",
    }),
    firstSequence: nullableInteger({
      description: "The `sequence` of the first counted change; null without changes",
      examples: [17],
    }),
    lastSequence: nullableInteger({
      description: "The `sequence` of the last counted change; null without changes",
      examples: [18],
    }),
  },
  { $id: "ChangeSummary", description: "The numbers of changes of a range of times" },
);
export const ChangeSummaryReply = dataOf(Summary, "ChangeSummaryReply");
export const HistoryPage = listOf(ChangeShape, "AccountHistory");

export const ChangeStreamReply = {
  ...text({
    $id: "ChangeStreamReply",
    description: "Server-sent events, one for each change",
    examples: [`id: 17\ndata: {"sequence":17,"type":"account.updated"}\n\n`],
  }),
  mediaTypes: ["text/event-stream"],
};
export const HistoryQuery = Type.Object(pageParameters, { additionalProperties: true });

/** `presentChange` with the type of the document. */
// Safe: `core/changes/changes.ts` writes the resource, the action, the actor, and the members of the resource.
export const presentChangeView = presentChange as (row: ChangeRow) => ChangeView;

/** The body of a feed, as its JSON. */
export function feedReply({ rows, hasNextPage, nextAfter }: Feed, limit: number) {
  return asReply(rows.bodyWith({ pagination: { limit, hasNextPage, nextAfter } }));
}

export function eventsReply({ rows }: Feed) {
  return asReply(rows.list());
}

function asReply(body: string | Uint8Array) {
  // Safe: it is sent unchanged.
  return body as unknown as Static<typeof ChangeFeedReply>;
}
