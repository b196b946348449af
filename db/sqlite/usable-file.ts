import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { UnusableDatabase } from "../errors.ts";

/** Throws UnusableDatabase for a path without a file, an empty file, and a file with a second name. */
export function assertUsableFile(file: string): void {
  if (!existsSync(file))
    throw new UnusableDatabase(
      `There is no database at ${file}. Name another with --database or DATABASE_URL.`,
    );
  const status = statSync(file);
  if (status.isDirectory())
    throw new UnusableDatabase(`${file} is a folder. Name a file in it with --database or DATABASE_URL.`);
  if (status.size === 0) throw new UnusableDatabase(`${file} is empty, so it is not an accountd database.`);
  // Each name of a file has its own lock and WAL: what one process commits would be lost when another one commits.
  if (status.isFile() && status.nlink > 1)
    throw new UnusableDatabase(
      `${file} has a hard link. Two processes could write to it. Remove one of the names.`,
    );
  if (isMountPoint(realpathSync(file)))
    throw new UnusableDatabase(
      `${file} is a mount point. Its lock and its WAL are next to it, outside the mount. Mount its folder.`,
    );
}

/** Whether the file itself is mounted, as `docker run -v FILE:FILE` does. False where mounts cannot be listed. */
function isMountPoint(path: string): boolean {
  try {
    // proc(5): the fifth field is the mount point, with octal escapes of blanks and backslashes.
    const lines = readFileSync("/proc/self/mountinfo", "utf8").split("\n");
    const escaped = path.replace(/[ \t\n\\]/g, (character) => {
      const code = character.charCodeAt(0).toString(8).padStart(3, "0");
      return `\\${code}`;
    });
    return lines.some((line) => line.split(" ")[4] === escaped);
  } catch {
    return false;
  }
}
