import { join } from "node:path";

/** The path of the program. */
export const main = join(import.meta.dir, "../../src/main.ts");

/** Runs a script and returns what it prints, trimmed. Throws with its standard error when it fails. */
export async function bash(script: string, env: Record<string, string>, cwd?: string): Promise<string> {
  const child = Bun.spawn(["bash", "-c", script], {
    env: { PATH: Bun.env.PATH ?? "", ...env },
    stderr: "pipe",
    ...(cwd !== undefined && { cwd }),
  });
  const output = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error((await new Response(child.stderr).text()) || output);
  return output.trim();
}
