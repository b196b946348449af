import fc from "fast-check";
import { type Asked, parametersOf } from "./model-rules.ts";

const included = ["attributes", "status", "health", "contactActivity", "contacts", "meetings", "requests"];
const shown = {
  accounts: ["name", "externalId", "mrr", "active", "updatedAt", ...included],
  contacts: ["name", "email", "accountId", "createdAt"],
  meetings: ["title", "startAt", "externalId"],
  requests: ["title", "severity", "status", "resolvedAt"],
};
const someOf = (names: readonly string[]) =>
  fc.subarray([...names], { minLength: 1 }).map((some) => some.join(","));

/** The request with `include` or `fields`, if its operation has them. */
export function withMembers(request: Asked): fc.Arbitrary<Asked> {
  const parameters = parametersOf(request);
  const having = (name: "include" | "fields", names: readonly string[]) =>
    parameters.includes(name) ? [someOf(names).map((text) => ({ [name]: text }))] : [];
  const choices = [...having("include", included), ...having("fields", shown[request.kind])];
  if (choices.length === 0) return fc.constant(request);
  return fc.oneof(...choices).map((members) => ({ ...request, query: { ...request.query, ...members } }));
}

const keys = fc.constantFrom("k1", "k2", '"k1"', "k3", "k4");

/** The write with an Idempotency-Key. */
export function withKey(request: Asked): fc.Arbitrary<Asked> {
  return keys.map((key) => ({ ...request, key }));
}

/** A tag of a row with any hash. */
const tagOf = (version: number, id: number) => `"${version}.${"x".repeat(13)}${id}"`;
const versions = fc.constantFrom(1, 2, 3);
const ids = fc.integer({ min: 1, max: 4 });
const tags = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(versions, ids).map(([version, id]) => tagOf(version, id)) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(versions, ids, ids)
      .map(([version, id, other]) => `${tagOf(version, id)}, W/${tagOf(1, other)}`),
  },
  { weight: 1, arbitrary: fc.constantFrom("*", "2.x", '"x"', '"1"', '"1.x"') },
);
const conditions = fc.oneof(
  { weight: 4, arbitrary: fc.record({ ifMatch: tags }) },
  { weight: 1, arbitrary: fc.record({ ifNoneMatch: fc.constantFrom("*", "*", '"1.x"') }) },
);

/** The update or delete of one row with preconditions. */
export function withConditions(request: Asked): fc.Arbitrary<Asked> {
  return conditions.map((some) => ({ ...request, ...some }));
}
