/** The modules of the program of which controls replace exports. A module that moves is an error here alone. */
export type Modules = {
  "db/errors.ts": typeof import("../../db/errors.ts");
  "db/sqlite/connection.ts": typeof import("../../db/sqlite/connection.ts");
  "db/sqlite/erase.ts": typeof import("../../db/sqlite/erase.ts");
  "db/sqlite/create.ts": typeof import("../../db/sqlite/create.ts");
  "db/sqlite/file.ts": typeof import("../../db/sqlite/file.ts");
  "db/sqlite/migrate.ts": typeof import("../../db/sqlite/migrate.ts");
  "db/sqlite/migrations/list.ts": typeof import("../../db/sqlite/migrations/list.ts");
  "db/sqlite/write-queue.ts": typeof import("../../db/sqlite/write-queue.ts");
  "src/accounts/model.ts": typeof import("../../src/accounts/model.ts");
  "src/accounts/store.ts": typeof import("../../src/accounts/store.ts");
  "src/api-keys/store.ts": typeof import("../../src/api-keys/store.ts");
  "src/core/changes.ts": typeof import("../../src/core/changes.ts");
  "src/core/tenant-statements.ts": typeof import("../../src/core/tenant-statements.ts");
  "src/core/tenant.ts": typeof import("../../src/core/tenant.ts");
  "src/events/store.ts": typeof import("../../src/events/store.ts");
  "src/http/authentication.ts": typeof import("../../src/http/authentication.ts");
  "src/http/body.ts": typeof import("../../src/http/body.ts");
  "src/http/request-line.ts": typeof import("../../src/http/request-line.ts");
  "src/http/validation-errors.ts": typeof import("../../src/http/validation-errors.ts");
  "src/reactions.ts": typeof import("../../src/reactions.ts");
  "src/deletions/accounts.ts": typeof import("../../src/deletions/accounts.ts");
  "src/organizations/store.ts": typeof import("../../src/organizations/store.ts");
  "src/server/access-log.ts": typeof import("../../src/server/access-log.ts");
  "src/server/listen.ts": typeof import("../../src/server/listen.ts");
  "src/server/shutdown.ts": typeof import("../../src/server/shutdown.ts");
  "src/usage/store.ts": typeof import("../../src/usage/store.ts");
};
