import { join } from "node:path";
import type { FollowerCount } from "./follower-program.ts";
import { linesOf } from "./lines.ts";

/** Starts `follower-program.ts`, and resolves when it reads all streams or receives requests. */
export async function startFollower(...args: string[]) {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "follower-program.ts"), ...args], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const lines = linesOf(child.stdout);
  const port = Number(await nextLine());

  async function nextLine(): Promise<string> {
    const { value } = await lines.next();
    if (value === undefined) throw new Error("the program that follows changes has ended");
    return value;
  }

  return {
    port,
    async count(): Promise<FollowerCount> {
      child.stdin.write("\n");
      await child.stdin.flush();
      // Safe: the program writes it.
      return JSON.parse(await nextLine()) as FollowerCount;
    },
    async end(): Promise<void> {
      child.kill();
      await child.exited;
    },
  };
}
