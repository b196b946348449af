import type { Migration } from "../../migration.ts";
import schema from "./0001_schema.sql" with { type: "text" };

/** In the order in which they are applied. Never edit or remove a released one: add the next. */
export const migrations: readonly Migration[] = [{ name: "0001_schema", sql: schema }];
