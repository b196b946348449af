import { type Static, Type } from "@sinclair/typebox";
import { presenterOf } from "../core/resource/field-columns.ts";
import { replyShapes } from "../http/resource/field-shapes.ts";
import { contactFields, embeddedContactFields } from "../shared/fields/contacts.ts";
import { namesOf } from "../shared/fields/field.ts";

const names = namesOf(contactFields);

/** A contact as its own paths return it. */
export const Contact = Type.Object(replyShapes(contactFields, names), {
  $id: "Contact",
  description: "A person at an account",
});
/** A contact as its account embeds it. */
export const AccountContact = Type.Object(replyShapes(contactFields, embeddedContactFields), {
  $id: "AccountContact",
  description: "A person at the account",
});

export const presentContact = presenterOf<Static<typeof Contact>>(contactFields, names);
