import { type Static, Type } from "@sinclair/typebox";
import { presenterOf } from "../core/resource/field-columns.ts";
import { replyShapes } from "../http/resource/field-shapes.ts";
import { namesOf } from "../shared/fields/field.ts";
import { embeddedRequestFields, requestFields } from "../shared/fields/requests.ts";

const names = namesOf(requestFields);

/** A request as its own paths return it. */
export const FeatureRequest = Type.Object(replyShapes(requestFields, names), {
  $id: "Request",
  description: "A feature request of an account",
});
/** A request as its account embeds it. */
export const AccountFeatureRequest = Type.Object(replyShapes(requestFields, embeddedRequestFields), {
  $id: "AccountRequest",
  description: "A feature request of the account",
});

export const presentFeatureRequest = presenterOf<Static<typeof FeatureRequest>>(requestFields, names);
