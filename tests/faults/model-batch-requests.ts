import fc from "fast-check";
import { asked, externalId, op } from "./model-asked.ts";
import type { Body } from "./model-rows.ts";
import type { Asked } from "./model-rules.ts";
import { body, changesOfAccount, emails, shared } from "./model-values.ts";

/** A batch of writes of one organization. */
export function batchOf(write: fc.Arbitrary<Asked>): fc.Arbitrary<Asked> {
  const operations = fc.array(write, { minLength: 1, maxLength: 5 });
  const parts = fc.tuple(asked({ op: op("batch") }), operations, fc.boolean());
  return parts.map(([request, some, isAtomic]) => {
    return { ...request, isAtomic, operations: some.map((one) => ({ ...one, org: request.org })) };
  });
}

const listed = (kind: keyof typeof shared, ...needed: string[]) =>
  fc.array(body({ ...shared[kind], externalId }, ...needed), { maxLength: 2 });
const lists = fc.record(
  {
    contacts: fc.array(
      fc.oneof(
        body({ ...shared.contacts, externalId }, "name", "externalId"),
        body({ ...shared.contacts, email: fc.constantFrom(...emails) }, "name", "email"),
      ),
      { maxLength: 3 },
    ),
    meetings: listed("meetings", "externalId", "title", "startAt", "endAt"),
    requests: listed("requests", "externalId", "title"),
  },
  { requiredKeys: [] },
);
const account = fc
  .tuple(body({ ...changesOfAccount, externalId }, "externalId", "name"), lists)
  .map(([members, some]): Body => ({ ...members, ...some }));

/** Accounts with their sub-resources, by external ids. */
export const upsert: fc.Arbitrary<Asked> = asked({
  op: op("upsert"),
  body: fc.array(account, { minLength: 1, maxLength: 3 }).map((accounts) => ({ accounts })),
});
