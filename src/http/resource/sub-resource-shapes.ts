import { type TProperties, Type } from "@sinclair/typebox";
import type { ListSchema } from "../../core/lists/definition.ts";
import { presenterOf } from "../../core/resource/field-columns.ts";
import { namesOf } from "../../shared/fields/field.ts";
import type { SharedResource } from "../../shared/resources.ts";
import { externalIdFilter, listQuerySchema, searchFilter } from "../validation/list-shapes.ts";
import { accountReference } from "../validation/shapes.ts";
import { inputShapes, replyShapes } from "./field-shapes.ts";

/** What the wire shapes of a sub-resource have besides its fields. */
export type SubResourceDescription = {
  /** What a row is to "an account": `A person at`. */
  about: string;
  /** Which rows an account embeds. */
  aboutEmbedded: string;
  /** The fields that the filter `search` finds. */
  searched: string;
  /** The other filters of its list by a single value. */
  filters?: TProperties;
  /** The example of the body of a create, and of the bodies of an update and a put where they differ. */
  example: object;
  change?: object;
  put?: object;
};

export type SubResourceShapes = ReturnType<typeof createSubResourceShapes>;

/** The wire shapes of a sub-resource. A body of a create or an update by external id can name the account. */
export function createSubResourceShapes(
  { noun, title, fields, embedded = [] }: SharedResource,
  list: ListSchema<string>,
  {
    about,
    aboutEmbedded,
    searched,
    filters,
    example,
    change = example,
    put = example,
  }: SubResourceDescription,
) {
  const names = namesOf(fields);
  const inputs = inputShapes(fields);
  const bodyOf = (properties: TProperties, options: object) =>
    Type.Object(properties, { additionalProperties: true, ...options });
  return {
    row: Type.Object(replyShapes(fields, names), { $id: title, description: `${about} an account` }),
    embedded: Type.Array(
      Type.Object(replyShapes(fields, embedded), {
        $id: `Account${title}`,
        description: `${about} the account`,
      }),
      { description: aboutEmbedded },
    ),
    query: listQuerySchema(list, {
      search: Type.Optional(searchFilter(searched)),
      externalId: Type.Optional(externalIdFilter(noun)),
      ...filters,
    }),
    bodies: {
      create: bodyOf(inputs.create, { $id: `New${title}`, examples: [example] }),
      update: bodyOf(inputs.update, {
        $id: `${title}Changes`,
        description: "At least one field",
        examples: [change],
      }),
      put: bodyOf(
        { ...accountReference, ...inputs.put },
        { $id: `${title}Put`, examples: [{ accountExternalId: "acme", ...put }] },
      ),
    },
    present: presenterOf<object>(fields, names),
  };
}
