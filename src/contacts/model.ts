import { type Static, Type } from "@sinclair/typebox";
import { integer, nullableText, text } from "../http/shapes.ts";

export const Contact = Type.Object(
  {
    id: integer({ examples: [7] }),
    name: text({ examples: ["Ada Lovelace"] }),
    email: nullableText({ format: "email", examples: ["ada@example.com"] }),
  },
  { $id: "Contact", description: "A person at the account" },
);

/** A contact as the statement that embeds it lists its values. */
export type EmbeddedContact = [id: number, name: string, email: string | null];

export function presentContact([id, name, email]: EmbeddedContact): Static<typeof Contact> {
  return { id, name, email };
}
