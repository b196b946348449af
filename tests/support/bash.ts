import { dirname, join } from "node:path";
import { binary } from "../binary/build.ts";

/** The path of the program's source, for processes with a preload. Others are faster with the binary. */
export const main = join(import.meta.dir, "../../src/main.ts");

/**
 * Runs a script, in which `accountd` is the compiled program, and returns what it prints, trimmed. Throws with its
 * standard error when it fails.
 */
export async function bash(script: string, env: Record<string, string>, cwd?: string): Promise<string> {
  const path = `${dirname(await binary())}:${Bun.env.PATH}`;
  const child = Bun.spawn(["bash", "-c", script], {
    env: { PATH: path, ...env },
    stderr: "pipe",
    ...(cwd !== undefined && { cwd }),
  });
  const output = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error((await new Response(child.stderr).text()) || output);
  return output.trim();
}
