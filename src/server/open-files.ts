import { readFileSync } from "node:fs";

/** With more open files, idle connections are closed early. */
export const maxOpenFiles = 4_096;

/** The limit of open files of this process: a number, or `unlimited`. Undefined where the system does not show it. */
export function limitOfOpenFiles(): string | undefined {
  try {
    return /^Max open files\s+(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
  } catch {
    // Only Linux has the file.
    return undefined;
  }
}
