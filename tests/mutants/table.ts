/** The tests of a source: first those that detect most of its mutants in the shortest time, then the others. */
export type Tests = { source: string; first: string[]; rest: string[] };

/**
 * The sources under mutation, each with its tests by their paths below `tests` without `.test.ts`: the first ones, then,
 * from the second line, the others.
 */
const text = `
src/core/tenant/transaction.ts: database/tenant accounts/create resources/external-id contacts/email
  isolation/isolation resources/sub-resource-create resources/sub-resource-update
  resources/sub-resource-put feature-requests/list accounts/get events/attach database/statements
src/core/tenant/statements.ts: database/statements isolation/isolation
  resources/sub-resource-create resources/sub-resource-update resources/sub-resource-put
  feature-requests/list accounts/get accounts/list events/attach
src/core/resource/resource.ts: accounts/update resources/external-id changes/recorded
  resources/sub-resource-create resources/sub-resource-update resources/sub-resource-put
  feature-requests/list accounts/create accounts/get changes/replay account-batches/upsert
  ingest/trait-order
src/core/resource/rows.ts: resources/external-id contacts/email accounts/update
  resources/sub-resource-create resources/sub-resource-update resources/sub-resource-put
  feature-requests/list accounts/search lists/lists
src/core/changes/changes.ts: changes/recorded
  changes/sequence changes/feed changes/history changes/replay
src/core/resource/account-reference.ts: resources/sub-resource-put events/send resources/sub-resource-create
  feature-requests/list accounts/get events/pending last-seen/items usage/days isolation/isolation
src/api-keys/secret.ts: api-keys/secret
  api-keys/authentication
src/api-keys/store.ts: operator/operator operator/rename
  api-keys/authentication api-keys/api
src/api-keys/authenticator.ts: api-keys/key-use
  api-keys/authentication events/segment http/http
src/http/guard/guard.ts: api-keys/authentication http/http
  events/segment hostile/refusals hostile/host
src/http/guard/request-line.ts: http/request-line lists/spellings
  hostile/refusals http/http hostile/host hostile/socket hostile/framing resources/external-id
src/http/guard/route-table.ts: http/http http/error-details server/access-log
  hostile/refusals api-keys/authentication openapi/openapi documents/docs resources/external-id
src/http/validation/constraints.ts: http/constraints
  hostile/refusals accounts/create resources/external-id resources/sub-resource-create accounts/list
  events/reject usage/model usage/days openapi/openapi-shapes
src/http/validation/validation-errors.ts: http/validation-errors hostile/refusals
  accounts/create hostile/bodies.serial hostile/every-body openapi/openapi-problems
src/http/body/body.ts: http/body
  hostile/bodies.serial hostile/refusals hostile/every-body hostile/framing hostile/socket
  accounts/create events/reject events/segment
src/http/validation/shapes.ts: hostile/refusals
  resources/external-id accounts/list accounts/search lists/lists openapi/openapi openapi/openapi-shapes
  feature-requests/list resources/sub-resource-put events/reject health-scores/list
  openapi/openapi-problems
src/http/guard/token-buckets.ts: http/token-buckets
  http/limits
src/http/guard/admission.ts: http/limits
  api-keys/authentication
src/core/lists/cursor.ts: lists/cursors
  lists/link
src/http/replies/entity-tags.ts: resources/entity-tags resources/preconditions
  resources/write-replies accounts/create
src/http/resource/idempotency.ts: idempotency/keys
src/core/tenant/idempotency.ts: idempotency/keys
  http/dry-run
src/core/tenant/idempotency-expiry.ts: idempotency/keys
  jobs/due-jobs
src/core/tenant/scopes.ts: api-keys/scopes api-keys/api
  batch/partial
src/http/resource/selection.ts: resources/fields accounts/include
src/http/resource/write.ts: http/dry-run idempotency/keys resources/preconditions
  batch/partial
src/http/batch/batch.ts: batch/partial batch/atomic
  batch/hostile account-batches/upsert
src/http/batch/operations.ts: batch/partial batch/hostile
  batch/atomic api-keys/scopes
src/http/batch/batch-routes.ts: batch/atomic batch/hostile
  batch/partial
src/account-batches/store.ts: account-batches/upsert
  account-batches/hostile
src/account-batches/input.ts: account-batches/upsert account-batches/hostile
src/account-batches/model.ts: account-batches/upsert
src/core/lists/fields.ts: lists/filters lists/filter-input
  accounts/list contacts/email
src/http/validation/filter-parameters.ts: lists/filter-input openapi/openapi
  lists/filters
src/core/timestamps.ts: core/timestamps
  usage/model usage/days accounts/update
db/sqlite/writes/write-queue.ts: database/failing
  database/batches database/write-queue database/write-lock database/snapshots database/gone
  events/atomic
db/sqlite/snapshots.ts: database/snapshots
  database/close database/gone database/open http/http
db/errors.ts: database/errors
  contacts/email database/gone http/http database/open database/failing
db/sqlite/migrate.ts: database/migrate database/copies database/upgrade
  database/made database/open database/schema
db/sqlite/file.ts: database/migrate database/open
  database/left-alone database/copies database/made database/gone database/upgrade
db/sqlite/create.ts: database/made
  database/left-alone database/gone database/open
db/sqlite/lock.ts: database/made
  database/gone database/open
`;

export const table: Tests[] = text
  .trim()
  .split(/\n(?! )/)
  .map((entry) => {
    const [head = "", ...lines] = entry.split("\n");
    const [source = "", first = ""] = head.split(": ");
    return { source, first: first.split(" "), rest: lines.join("").trim().split(/\s+/).filter(Boolean) };
  });
