/** The modules whose exports are replaced by controls, so that only this file changes when a module moves. */
export type Modules = {
  "db/errors.ts": typeof import("../../db/errors.ts");
  "db/sqlite/connection.ts": typeof import("../../db/sqlite/connection.ts");
  "db/sqlite/file.ts": typeof import("../../db/sqlite/file.ts");
  "db/sqlite/migrate.ts": typeof import("../../db/sqlite/migrate.ts");
  "db/sqlite/migrations/list.ts": typeof import("../../db/sqlite/migrations/list.ts");
  "src/accounts/model.ts": typeof import("../../src/accounts/model.ts");
  "src/accounts/store.ts": typeof import("../../src/accounts/store.ts");
  "src/api-keys/store.ts": typeof import("../../src/api-keys/store.ts");
  "src/core/tenant-statements.ts": typeof import("../../src/core/tenant-statements.ts");
  "src/http/authentication.ts": typeof import("../../src/http/authentication.ts");
  "src/http/request-line.ts": typeof import("../../src/http/request-line.ts");
  "src/http/validation-errors.ts": typeof import("../../src/http/validation-errors.ts");
  "src/server/access-log.ts": typeof import("../../src/server/access-log.ts");
  "src/server/listen.ts": typeof import("../../src/server/listen.ts");
  "src/server/shutdown.ts": typeof import("../../src/server/shutdown.ts");
};
