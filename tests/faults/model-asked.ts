import fc from "fast-check";
import type { Kind } from "./model-rows.ts";
import type { Asked } from "./model-rules.ts";
import { externalIds } from "./model-values.ts";

const org = fc.constantFrom(0, 0, 0, 1);
/** 0 stands for a row of the other organization, if there is one. */
export const id = fc.constantFrom(1, 1, 2, 2, 3, 3, 4, 5, 6, 0, 999);
export const externalId = fc.constantFrom(...externalIds);
export const anyKind = fc.constantFrom<Kind>("accounts", "contacts", "meetings", "requests");
export const childKind = fc.constantFrom<Kind>("contacts", "meetings", "requests");

/** Requests with these parts; the others have defaults. */
export const asked = (parts: { [Part in keyof Asked]?: fc.Arbitrary<Asked[Part]> }): fc.Arbitrary<Asked> =>
  fc.record({
    org,
    kind: fc.constant<Kind>("accounts"),
    body: fc.constant({}),
    query: fc.constant({}),
    ...parts,
  }) as fc.Arbitrary<Asked>;
export const op = (name: Asked["op"]) => fc.constant(name);
