import { existsSync, realpathSync } from "node:fs";

/** The Unix socket of the server of a database: one for a file, by whichever link it is reached. */
export function adminSocketPath(database: string): string {
  return `${existsSync(database) ? realpathSync(database) : database}.sock`;
}
