import { existsSync, realpathSync } from "node:fs";

/** The path of the Unix socket of a database's server. Symbolic links to one file have the same socket. */
export function adminSocketPath(database: string): string {
  return `${existsSync(database) ? realpathSync(database) : database}.sock`;
}
