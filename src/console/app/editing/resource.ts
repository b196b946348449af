import type { Field } from "./form-values.ts";
import type { Members, Stored } from "./members.ts";

/** The operations of a resource that dialogs use. */
export type EditableResource = {
  /** In the singular: "contact". */
  noun: string;
  fields: readonly Field[];
  /** Whose attribute names are suggested; absent: the dialog has no attributes. */
  attributesOf?: "accounts" | "contacts";
  /** Reads the editable members, attributes included, and the entity tag. */
  read: (id: number, signal?: AbortSignal) => Promise<Stored>;
  /** Sends the changes with `If-Match`. */
  update: (id: number, changes: Members, etag: string) => Promise<unknown>;
};

/** A resource that belongs to an account. */
export type SubResource = EditableResource & {
  /** The values of the form of a new row. */
  initial: Members;
  create: (accountId: number, members: Members) => Promise<unknown>;
  delete: (id: number) => Promise<unknown>;
};
