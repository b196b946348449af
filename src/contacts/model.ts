import { Type } from "@sinclair/typebox";
import { integer, nullableText, text } from "../http/shapes.ts";

export const Contact = Type.Object(
  {
    id: integer({ examples: [7] }),
    name: text({ examples: ["Ada Lovelace"] }),
    email: nullableText({ format: "email", examples: ["ada@example.com"] }),
  },
  { $id: "Contact", description: "A person at the account" },
);
