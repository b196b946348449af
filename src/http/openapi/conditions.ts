import type { JsonObject } from "./components.ts";
import type { Operation } from "./problem-examples.ts";

const tag = '"3.1x7k2m9qd0c4f1"';
const ifNoneMatchOfGet = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description: "Entity tags of earlier replies; 304 when one of them is that of the reply",
  schema: { type: "string", examples: [tag] },
};
const ifMatch = {
  name: "If-Match",
  in: "header",
  required: false,
  description:
    "Entity tags of the row, or `*`; 412 when it is another row or has another version. Hashes are not compared",
  schema: { type: "string", examples: [tag] },
};
const ifNoneMatch = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description: "`*`: 412 when the row exists, so that a PUT only creates",
  schema: { type: "string", enum: ["*"] },
};

/** The header of a reply with an entity tag. */
export const etagHeader = {
  description:
    "The version of the row, a hash of the reply and the id of the row; weak when the reply is compressed",
  schema: { type: "string", examples: [tag] },
};

/** The header parameters of the preconditions that an operation has. */
export function conditionParameters({ responses = {} }: Operation): JsonObject[] {
  return [
    ...("304" in responses ? [ifNoneMatchOfGet] : []),
    ...("412" in responses ? [ifMatch, ifNoneMatch] : []),
  ];
}

/** Whether a reply with this status has an entity tag. Of the rows that POST creates, only keys have no version. */
export function hasEntityTag(status: number, { responses = {}, tags }: Operation): boolean {
  if (status === 200) return "304" in responses || "412" in responses;
  return (status === 201 && !tags.includes("Keys")) || status === 304;
}
