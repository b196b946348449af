import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

/**
 * The SQL files of an engine's migrations, in the order of their names. A Bun macro: it runs when its caller is
 * transpiled, so that the binary contains the texts.
 */
export function readMigrations(engine: "sqlite" | "postgres"): { name: string; sql: string }[] {
  const folder = join(import.meta.dir, engine, "migrations");
  const files = readdirSync(folder).filter((file) => file.endsWith(".sql"));
  return files.sort().map((file) => ({
    name: basename(file, ".sql"),
    sql: readFileSync(join(folder, file), "utf8"),
  }));
}
