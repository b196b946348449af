/** The tests of a source: first those that detect most of its mutants in the shortest time, then the others. */
export type Tests = { source: string; first: string[]; rest: string[] };

const isolation = ["isolation/isolation"];
const children = [
  "contacts/create",
  "contacts/update",
  "contacts/delete",
  "meetings/put",
  "feature-requests/list",
];

/** The sources under mutation and their tests, by their paths below `tests` without `.test.ts`. */
export const table: Tests[] = [
  {
    source: "src/core/tenant.ts",
    first: ["tenant", "accounts/create", "resources/external-id", "contacts/email"],
    rest: [
      ...isolation,
      ...children,
      "accounts/get",
      "meetings/create",
      "feature-requests/create",
      "events/attach",
      "statements",
    ],
  },
  {
    source: "src/core/tenant-statements.ts",
    first: ["statements", ...isolation],
    rest: [...children, "accounts/get", "accounts/list", "events/attach"],
  },
  {
    source: "src/core/resource.ts",
    first: ["accounts/update", "resources/external-id", "changes/recorded"],
    rest: [...children, "accounts/create", "accounts/get", "contacts/put", "changes/replay"],
  },
  {
    source: "src/core/resource-rows.ts",
    first: ["resources/external-id", "contacts/email", "accounts/update"],
    rest: [...children, "accounts/search", "contacts/put", "lists"],
  },
  {
    source: "src/core/changes.ts",
    first: ["changes/recorded"],
    rest: ["changes/sequence", "changes/feed", "changes/history", "changes/replay"],
  },
  {
    source: "src/core/account-reference.ts",
    first: ["contacts/put", "events/send", "contacts/create"],
    rest: [
      "feature-requests/put",
      "feature-requests/list",
      "accounts/get",
      "events/pending",
      "last-seen/items",
      "usage/days",
      ...isolation,
    ],
  },
  { source: "src/api-keys/secret.ts", first: ["secret"], rest: ["authentication"] },
  { source: "src/api-keys/store.ts", first: ["keys", "authentication"], rest: [] },
  {
    source: "src/http/authentication.ts",
    first: ["key-use"],
    rest: ["authentication", "events/segment", "http"],
  },
  {
    source: "src/http/guard.ts",
    first: ["authentication", "http"],
    rest: ["events/segment", "hostile/paths", "hostile/parameters", "hostile/host", "hostile/texts"],
  },
  {
    source: "src/http/request-line.ts",
    first: ["request-line"],
    rest: [
      "hostile/parameters",
      "hostile/paths",
      "http",
      "hostile/host",
      "hostile/socket",
      "hostile/framing",
      "hostile/texts",
      "hostile/ids",
    ],
  },
  {
    source: "src/http/route-table.ts",
    first: ["route-table"],
    rest: ["hostile/paths", "http", "authentication", "hostile/parameters", "openapi", "docs", "hostile/ids"],
  },
  {
    source: "src/http/constraints.ts",
    first: ["constraints"],
    rest: [
      "hostile/fields",
      "accounts/create",
      "hostile/resource-fields",
      "hostile/parameters",
      "hostile/ids",
      "contacts/create",
      "accounts/list",
      "meetings/create",
      "feature-requests/create",
      "events/reject",
      "usage/model",
      "usage/days",
      "openapi-shapes",
    ],
  },
  {
    source: "src/http/validation-errors.ts",
    first: ["validation-errors", "hostile/fields", "hostile/parameters"],
    rest: [
      "accounts/create",
      "hostile/resource-fields",
      "hostile/bodies.serial",
      "hostile/every-body",
      "openapi-problems",
    ],
  },
  {
    source: "src/http/body.ts",
    first: ["body"],
    rest: [
      "hostile/bodies.serial",
      "hostile/texts",
      "hostile/every-body",
      "hostile/framing",
      "hostile/socket",
      "accounts/create",
      "events/reject",
      "events/segment",
      "hostile/fields",
    ],
  },
  {
    source: "src/http/shapes.ts",
    first: ["shapes", "hostile/resource-fields", "hostile/parameters", "hostile/fields"],
    rest: [
      "hostile/ids",
      "accounts/list",
      "accounts/search",
      "lists",
      "openapi",
      "openapi-shapes",
      "feature-requests/list",
      "contacts/put",
      "events/reject",
      "health-scores/list",
      "openapi-problems",
    ],
  },
  {
    source: "src/core/timestamps.ts",
    first: ["timestamps"],
    rest: ["usage/model", "usage/days", "accounts/update"],
  },
  {
    source: "db/sqlite/write-queue.ts",
    first: ["database/failing"],
    rest: [
      "database/batches",
      "database/write-queue",
      "database/write-lock",
      "database/snapshots",
      "database/gone",
      "events/atomic",
    ],
  },
  {
    source: "db/sqlite/snapshots.ts",
    first: ["database/snapshots"],
    rest: ["database/close", "database/account-index-cache", "database/gone", "database/open", "http"],
  },
  {
    source: "db/sqlite/snapshot.ts",
    first: ["database/snapshots"],
    rest: ["database/close", "database/account-index-cache", "database/gone", "database/open", "http"],
  },
  {
    source: "db/errors.ts",
    first: ["database/errors"],
    rest: ["contacts/email", "database/gone", "http", "database/open", "database/failing"],
  },
  {
    source: "db/sqlite/migrate.ts",
    first: ["database/migrate", "database/copies", "database/upgrade"],
    rest: ["database/made", "database/open", "database/schema"],
  },
  {
    source: "db/sqlite/file.ts",
    first: ["database/migrate", "database/open"],
    rest: [
      "database/left-alone",
      "database/copies",
      "database/made",
      "database/unclean",
      "database/gone",
      "database/upgrade",
    ],
  },
  {
    source: "db/sqlite/create.ts",
    first: ["database/made"],
    rest: ["database/left-alone", "database/gone", "database/open"],
  },
  { source: "db/sqlite/lock.ts", first: ["database/made"], rest: ["database/gone", "database/open"] },
];
