/** The modules whose exports are replaced by controls, so that only this file changes when a module moves. */
export type Modules = {
  "db/errors.ts": typeof import("../../db/errors.ts");
  "db/sqlite/connection.ts": typeof import("../../db/sqlite/connection.ts");
  "db/sqlite/file.ts": typeof import("../../db/sqlite/file.ts");
  "db/sqlite/migrate.ts": typeof import("../../db/sqlite/migrate.ts");
  "db/sqlite/migrations/list.ts": typeof import("../../db/sqlite/migrations/list.ts");
  "src/server/access-log.ts": typeof import("../../src/server/access-log.ts");
  "src/server/listen.ts": typeof import("../../src/server/listen.ts");
  "src/server/shutdown.ts": typeof import("../../src/server/shutdown.ts");
};
