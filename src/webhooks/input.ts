import { type Static, Type } from "@sinclair/typebox";
import { deliveryStatuses, webhookFormats, webhookOrders } from "../../db/schema.ts";
import { ChangeType, changeTypes } from "../changes/model.ts";
import { closestName } from "../core/did-you-mean.ts";
import { invalidField } from "../core/errors.ts";
import { listQuerySchema, pageParameters } from "../http/validation/list-shapes.ts";
import {
  choice,
  documentedOnly,
  idParameter,
  idPath,
  integer,
  nullable,
  nullableText,
  text,
} from "../http/validation/shapes.ts";
import { type WebhookInput, webhookList } from "./store.ts";

export const WebhookPath = idPath("webhookId", "The webhook's id");
export const DeliveryPath = Type.Object({
  ...WebhookPath.properties,
  deliveryId: idParameter("The delivery's id, which is the `sequence` of its change"),
});
export const WebhookListQuery = listQuerySchema(webhookList.definition, {});
const { pageSize, cursor } = pageParameters;
export const DeliveryListQuery = Type.Object(
  {
    status: Type.Optional(choice(deliveryStatuses, { description: "Only deliveries with this status" })),
    ...{ pageSize, cursor },
  },
  { additionalProperties: true },
);

export const WebhookFormat = {
  ...choice(webhookFormats, {
    description:
      "The body of a request: `accountd` (the default): the change as in `GET /api/v1/changes`; `cloudevents`: a structured event of CloudEvents 1.0; `slack`: a message for an incoming webhook of Slack",
    examples: ["accountd"],
  }),
  $id: "WebhookFormat",
};
export const WebhookOrder = {
  ...choice(webhookOrders, {
    description:
      "`account` (the default): the changes of an account are sent in their order, one after the other; `strict`: all changes of the organization are sent in their order, so that a change that cannot be delivered delays all later changes",
    examples: ["account"],
  }),
  $id: "WebhookOrder",
};
const settings = {
  url: text({
    minLength: 1,
    description:
      "Where the changes are sent to: an https URL of a public server, without a user name, a password or a fragment",
    examples: ["https://example.com/changes"],
  }),
  types: documentedOnly(
    nullable(
      Type.Array(ChangeType, {
        minItems: 1,
        maxItems: changeTypes.length,
        description:
          "The types of the changes to send; null or absent: all types, also the types of later versions",
        examples: [["account.created", "account.health_changed"]],
      }),
    ),
  ),
  description: nullableText({
    maxLength: 1_000,
    description: "What the webhook is for",
    examples: ["CRM"],
  }),
  format: WebhookFormat,
  ordered: WebhookOrder,
};

export const NewWebhookBody = Type.Object(
  { url: settings.url, ...Type.Partial(Type.Omit(Type.Object(settings), ["url"])).properties },
  {
    $id: "NewWebhook",
    additionalProperties: true,
    examples: [{ url: "https://example.com/changes", types: ["account.created", "account.health_changed"] }],
  },
);
export const WebhookChangesBody = Type.Object(
  {
    ...Type.Partial(Type.Object(settings)).properties,
    active: Type.Optional(
      Type.Boolean({
        description:
          "false: nothing is sent, and pending deliveries stay; true: the webhook continues where it stopped, with the first change that is stored",
        examples: [true],
      }),
    ),
  },
  { $id: "WebhookChanges", additionalProperties: true, examples: [{ active: true }] },
);
export const ReplayBody = Type.Object(
  {
    after: integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: "The `sequence` after which all changes are delivered again; 0 for the beginning",
      examples: [0],
    }),
  },
  { $id: "WebhookReplay", additionalProperties: true, examples: [{ after: 0 }] },
);

/** The webhook that a body describes. Throws `invalid_request`. */
export function readNewWebhook(body: Static<typeof NewWebhookBody>): WebhookInput {
  const { url, types = null, description = null, format = "accountd", ordered = "account" } = body;
  return { url, description, format, ordered, types: readTypes(types), active: 1 };
}

/** The changes of a webhook that a body describes. Throws `invalid_request`. */
export function readWebhookChanges({
  types,
  active,
  ...others
}: Static<typeof WebhookChangesBody>): Partial<WebhookInput> {
  return {
    ...others,
    ...(types !== undefined && { types: readTypes(types) }),
    ...(active !== undefined && { active: active ? 1 : 0 }),
  };
}

/** The stored form, in the order of `changeTypes`. The shape is for the document only: a violation names its entry. */
function readTypes(list: unknown): string | null {
  if (list === null) return null;
  if (!Array.isArray(list)) throw invalidField("/types", "wrong_type", "must be an array or null");
  if (list.length === 0)
    throw invalidField("/types", "too_short", "must not be empty; null selects all types");
  for (const [i, type] of list.entries()) {
    if (changeTypes.includes(type)) continue;
    const closest = typeof type === "string" ? closestName(type, changeTypes) : undefined;
    const hint = closest === undefined ? "" : `: did you mean \`${closest}\`?`;
    throw invalidField(`/types/${i}`, "not_allowed", `must be one of ${changeTypes.join(", ")}${hint}`);
  }
  return JSON.stringify(changeTypes.filter((type) => list.includes(type)));
}
