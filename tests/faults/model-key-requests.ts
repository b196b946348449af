import fc from "fast-check";
import { asked, op } from "./model-asked.ts";
import { allScopes } from "./model-keys.ts";
import { page } from "./model-lists.ts";
import { withKey } from "./model-options.ts";
import { anyRequest } from "./model-requests.ts";
import type { Asked } from "./model-rules.ts";
import { day, timestamps } from "./model-values.ts";

const newKey = fc.record(
  {
    name: fc.constantFrom("import", "laptop"),
    scopes: fc.subarray(allScopes, { minLength: 1 }),
    expiresAt: fc.constantFrom(...timestamps(day, 7 * day, day, -1), null),
  },
  { requiredKeys: ["name"] },
);
const create = asked({ op: op("createKey"), body: newKey });
/** The position of a key that a request created. */
const position = fc.nat(3);
const paged = fc.record(page, { requiredKeys: [] }) as fc.Arbitrary<Asked["query"]>;
const keyRequest = fc.oneof(
  { weight: 4, arbitrary: create },
  { weight: 1, arbitrary: create.chain(withKey) },
  { weight: 1, arbitrary: create.map((one) => ({ ...one, query: { dryRun: "true" } })) },
  { weight: 2, arbitrary: asked({ op: op("getKey"), id: position }) },
  { weight: 1, arbitrary: asked({ op: op("listKeys"), query: paged }) },
  { weight: 2, arbitrary: asked({ op: op("revokeKey"), id: position }) },
);

/** Requests about keys, and requests with keys that were created. */
export const requestOfKeys: fc.Arbitrary<Asked> = fc.oneof(
  { weight: 4, arbitrary: keyRequest },
  {
    weight: 5,
    arbitrary: fc
      .tuple(fc.oneof(anyRequest, anyRequest, keyRequest), position)
      .map(([one, by]) => ({ ...one, by })),
  },
);
