import fc from "fast-check";
import { anyKind, asked, childKind, externalId, id, op } from "./model-asked.ts";
import { batchOf, upsert } from "./model-batch-requests.ts";
import { list, page, sortOrder } from "./model-lists.ts";
import type { Body } from "./model-rows.ts";
import type { Asked } from "./model-rules.ts";
import {
  body,
  changesOfAccount,
  day,
  minute,
  mrr,
  name,
  newAccount,
  shared,
  text,
  timestamps,
} from "./model-values.ts";

const needed = { contacts: ["name"], meetings: ["title", "startAt", "endAt"], requests: ["title"] };
const createChild = childKind.chain((kind) => {
  const own = shared[kind as keyof typeof shared];
  const members = { ...own, externalId: fc.option(text, { freq: 3 }) };
  return asked({
    op: op("create"),
    kind: fc.constant(kind),
    id,
    body: body(members, ...needed[kind as keyof typeof needed]),
  });
});
const patchChild = childKind.chain((kind) => {
  const members = { ...shared[kind as keyof typeof shared], externalId: fc.option(text, { freq: 3 }) };
  return asked({ op: op("patch"), kind: fc.constant(kind), id, body: body(members) });
});
const account = fc.oneof(fc.record({ accountId: id }), fc.record({ accountExternalId: externalId }));
const putChild = childKind.chain((kind) => {
  const own = body(shared[kind as keyof typeof shared], ...needed[kind as keyof typeof needed]);
  const given = fc
    .tuple(fc.option(account, { nil: {} }), own)
    .map(([named, members]) => ({ ...members, ...named }));
  return asked({ op: op("put"), kind: fc.constant(kind), externalId, body: given });
});

const reference = fc.oneof(
  fc.record({ accountId: id }),
  fc.record({ externalId }),
  fc.record({ externalId }),
);
const event = fc
  .tuple(
    reference,
    body(
      {
        event: fc.constantFrom("opened", "exported"),
        messageId: fc.constantFrom("m1", "m2", "m3", "m of u1", "", null),
        timestamp: fc.constantFrom(...timestamps(0, -minute, -day, -20 * day, minute, -36 * day)),
        userId: fc.constantFrom("u1", "u2", "u1", "ada@x.io", "", null),
      },
      "event",
    ),
  )
  .map(([named, members]) => ({ ...members, ...named }));
const events = fc.array(event, { minLength: 1, maxLength: 5 }).map((some) => ({ events: some }));
const feed = fc.record(
  {
    limit: fc.constantFrom("1", "2", "7", "1000"),
    resource: fc.constantFrom("account", "contact", "meeting", "request"),
    action: fc.constantFrom("created", "updated", "deleted", "health_changed"),
  },
  { requiredKeys: [] },
);
const pageQuery = fc.record(page, { requiredKeys: [] });

/** Writes of one row; most of them are valid. */
const write: fc.Arbitrary<Asked> = fc.oneof(
  { weight: 6, arbitrary: asked({ op: op("create"), body: body(newAccount, "name") }) },
  {
    weight: 8,
    arbitrary: asked({ op: op("patch"), id, body: body({ ...changesOfAccount, externalId: text }) }),
  },
  { weight: 4, arbitrary: asked({ op: op("put"), externalId, body: body(changesOfAccount, "name") }) },
  {
    weight: 3,
    arbitrary: asked({
      op: op("patch"),
      externalId,
      body: body({ ...changesOfAccount, externalId: text }),
    }),
  },
  { weight: 1, arbitrary: asked({ op: op("delete"), id }) },
  { weight: 1, arbitrary: asked({ op: op("delete"), externalId }) },
  { weight: 6, arbitrary: createChild },
  { weight: 6, arbitrary: patchChild },
  { weight: 4, arbitrary: putChild },
  { weight: 2, arbitrary: asked({ op: op("delete"), kind: childKind, id }) },
  { weight: 2, arbitrary: asked({ op: op("delete"), kind: childKind, externalId }) },
);
/** Writes of several rows. */
const largeWrite: fc.Arbitrary<Asked> = fc.oneof(
  { weight: 5, arbitrary: asked({ op: op("events"), body: events }) },
  { weight: 4, arbitrary: batchOf(write) },
  { weight: 4, arbitrary: upsert },
);
const read: fc.Arbitrary<Asked> = fc.oneof(
  { weight: 1, arbitrary: asked({ op: op("get"), externalId }) },
  { weight: 3, arbitrary: asked({ op: op("get"), kind: anyKind, id }) },
  { weight: 2, arbitrary: asked({ op: op("get"), kind: childKind, externalId }) },
  { weight: 7, arbitrary: list },
  { weight: 2, arbitrary: asked({ op: op("changes"), query: feed as fc.Arbitrary<Asked["query"]> }) },
  {
    weight: 2,
    arbitrary: asked({ op: op("history"), id, query: pageQuery as fc.Arbitrary<Asked["query"]> }),
  },
  {
    weight: 2,
    arbitrary: asked({
      op: op("unmatched"),
      query: fc.record({ ...page, sortOrder }, { requiredKeys: [] }) as fc.Arbitrary<Asked["query"]>,
    }),
  },
  { weight: 2, arbitrary: asked({ op: op("usage"), id }) },
);
const anyWrite = fc.oneof({ weight: 43, arbitrary: write }, { weight: 16, arbitrary: largeWrite });
const changeOfOne = write.filter(({ op }) => op !== "create");

const keys = fc.constantFrom("k1", "k2", '"k1"', "k3", "k4");

/** The write with an Idempotency-Key. */
function withKey(request: Asked): fc.Arbitrary<Asked> {
  return keys.map((key) => ({ ...request, key }));
}

const tags = fc
  .tuple(fc.constantFrom(1, 2, 3), fc.integer({ min: 1, max: 4 }))
  .map(([version, id]) => `"${version}.${"x".repeat(13)}${id}"`);
const conditions = fc.oneof(
  { weight: 4, arbitrary: fc.record({ ifMatch: fc.oneof(tags, fc.constant("*")) }) },
  { weight: 1, arbitrary: fc.record({ ifNoneMatch: fc.constant("*") }) },
);

/** The update or delete of one row with preconditions. */
function withConditions(request: Asked): fc.Arbitrary<Asked> {
  return conditions.map((some) => ({ ...request, ...some }));
}

/** Requests with valid values. Most of them change something. */
const validRequest = fc.oneof(
  { weight: 24, arbitrary: read },
  { weight: 38, arbitrary: anyWrite },
  { weight: 8, arbitrary: anyWrite.chain(withKey) },
  { weight: 6, arbitrary: changeOfOne.chain(withConditions) },
  { weight: 2, arbitrary: changeOfOne.chain(withConditions).chain(withKey) },
);

/** A write with an Idempotency-Key, two or three times. */
export const repeated: fc.Arbitrary<Asked[]> = fc
  .tuple(anyWrite.chain(withKey), fc.constantFrom(2, 3))
  .map(([one, count]) => Array.from({ length: count }, () => one));

/** Any request; a few are dry runs. */
export const anyRequest: fc.Arbitrary<Asked> = fc.oneof(
  { weight: 30, arbitrary: validRequest },
  { weight: 2, arbitrary: anyWrite.map((one) => ({ ...one, query: { dryRun: "true" } })) },
);

const oneMember = fc.constantFrom("name", "mrr", "status").chain((member) => {
  const values = { name, mrr, status: changesOfAccount.status };
  return fc.record({ [member]: values[member as keyof typeof values] }) as fc.Arbitrary<Body>;
});
/** Requests that can conflict: each reads or changes one of the same few accounts. */
export const contendedRequest: fc.Arbitrary<Asked> = fc.oneof(
  { weight: 12, arbitrary: asked({ op: op("patch"), id, body: oneMember }) },
  { weight: 2, arbitrary: asked({ op: op("patch"), externalId, body: oneMember }) },
  { weight: 2, arbitrary: asked({ op: op("put"), externalId, body: body(changesOfAccount, "name") }) },
  { weight: 1, arbitrary: asked({ op: op("delete"), externalId }) },
  { weight: 1, arbitrary: asked({ op: op("history"), id }) },
  { weight: 1, arbitrary: asked({ op: op("changes") }) },
);

/** The milliseconds between two requests: usually 0, sometimes more than the time limit of pending events. */
export const anyTime = fc.constantFrom(1, 1, minute, day, 6 * day, 31 * day, 36 * day);
