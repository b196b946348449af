import { cpSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeAfterTheRun } from "../binary/binary.ts";
import type { Program } from "./proof.ts";

/** A change of the source text that makes the program wrong. The name ends the sentence "where …". */
export type Breakage = { name: string; edits: readonly { file: string; from: string; to: string }[] };

const root = join(import.meta.dir, "../..");
const made = new Map<Breakage, Program>();

/** The program from a changed copy of the sources. Throws when a text to replace does not occur exactly once. */
export async function broken(breakage: Breakage): Promise<Program> {
  const existing = made.get(breakage);
  if (existing) return existing;
  const folder = mkdtempSync(join(tmpdir(), "accountd-broken-"));
  removeAfterTheRun(folder);
  for (const name of ["src", "db", "package.json"])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  for (const { file, from, to } of breakage.edits) {
    const path = join(folder, file);
    const parts = readFileSync(path, "utf8").split(from);
    if (parts.length !== 2) throw new Error(`${file} holds ${parts.length - 1} times: ${from}`);
    writeFileSync(path, parts.join(to));
  }
  const program = [process.execPath, "--no-env-file", join(folder, "src/main.ts")];
  made.set(breakage, program);
  return program;
}
