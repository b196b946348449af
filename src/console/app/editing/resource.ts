import type { Field } from "./form-values.ts";
import type { EditableRow, RowMembers } from "./members.ts";

/** The operations of a resource that dialogs use. */
export type EditableResource = {
  /** In the singular: "contact". */
  noun: string;
  fields: readonly Field[];
  /** Whose attribute names are suggested; absent: the dialog has no attributes. */
  attributesOf?: "accounts" | "contacts";
  /** Reads the editable members, attributes included, and the entity tag. */
  read: (id: number, signal?: AbortSignal) => Promise<EditableRow>;
  /** Sends the changes with `If-Match`. */
  update: (id: number, changes: RowMembers, etag: string) => Promise<unknown>;
};

/** A resource that belongs to an account. */
export type SubResource = EditableResource & {
  /** The values of the form of a new row. */
  initial: RowMembers;
  create: (accountId: number, members: RowMembers) => Promise<unknown>;
  delete: (id: number) => Promise<unknown>;
};
