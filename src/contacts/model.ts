import { type Static, Type } from "@sinclair/typebox";
import { memberSelector, withFields } from "../http/resource/selection.ts";
import { dataOf, externalIdParameter } from "../http/validation/shapes.ts";
import { subResourceShapes } from "../resource-shapes.ts";
import type { ContactRow } from "./store.ts";

const { row: shape, present } = subResourceShapes.contacts;

export const ContactUserPath = Type.Object({ userId: externalIdParameter("The contact's userId") });
export const ContactQuery = withFields(shape, Type.Object({}));
export const ContactReply = dataOf(shape, "ContactReply");

export function presentContact(row: ContactRow, query: { fields?: string }): Static<typeof shape> {
  // Safe: the fields of a contact, without those that the query leaves out.
  return memberSelector(query)(present(row)) as Static<typeof shape>;
}
