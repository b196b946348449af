import { cpSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { command } from "../support/server.ts";

export const documentFile = "openapi.json";
/** For one program. */
export const maxMilliseconds = 180_000;

/** A folder with the document, the programs and the installed packages, and a server with an organization and its key. */
export type Workspace = { folder: string; server: string; key: string };

/** Makes the folder of a workspace. */
export async function makeFolder(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "accountd-generators-"));
  symlinkSync(join(import.meta.dir, "node_modules"), join(folder, "node_modules"));
  cpSync(join(import.meta.dir, "programs"), folder, { recursive: true });
  writeFileSync(join(folder, documentFile), await command("openapi"));
  return folder;
}

/**
 * Runs an installed program, or a file with Bun, in the folder, with the server and the key in the environment. Returns
 * its output. Throws with the output when it fails or does not end in time.
 */
export async function execute({ folder, server, key }: Workspace, [program = "", ...words]: string[]) {
  const path = join(folder, "node_modules/.bin", program);
  const child = Bun.spawn(
    program.endsWith(".ts") ? [process.execPath, program, ...words] : [path, ...words],
    {
      cwd: folder,
      env: { ...Bun.env, SERVER: server, KEY: key },
      stdout: "pipe",
      stderr: "pipe",
      timeout: maxMilliseconds,
    },
  );
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0) throw new Error(`${program} ${words.join(" ")}\n${output}${errors}`);
  return output.trim();
}
