import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { folder, type Running } from "../binary/binary.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { withTimeLimit } from "../support/time-limit.ts";
import type { ReplyGround } from "./large-replies-ground.ts";
import type { LoadOrder, LoadRequest, LoadResult } from "./large-replies-load.ts";
import type { ReplyRow } from "./large-replies-rows.ts";

/** The time in which a load with a number of replies must end. */
const hopelessMilliseconds = 120_000;

/** Starts the load in another process. `replyCount` is the number of its replies so far. */
export function startLoad(
  row: ReplyRow,
  requests: readonly LoadRequest[],
  { key }: ReplyGround,
  { url }: Running,
) {
  const counterFile = join(folder(), "replies");
  writeFileSync(counterFile, new Uint8Array(4));
  const counter = new Uint32Array(Bun.mmap(counterFile).buffer);
  const { connections, isStalled = false, maxReplies } = row;
  const order: LoadOrder = {
    url,
    key,
    connections,
    requests,
    counterFile,
    isReading: !isStalled,
    maxReplies,
  };
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "large-replies-load.ts")], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  closeAfterTest(() => {
    child.kill("SIGKILL");
    return child.exited;
  });
  child.stdin.write(`${JSON.stringify(order)}\n`);
  child.stdin.flush();
  const replyCount = () => counter[0] ?? 0;
  return {
    replyCount,
    isOver: () => child.exitCode !== null,
    ended: () => withTimeLimit(hopelessMilliseconds, child.exited, 0),
    /** Resolves after this many replies, or after the time. */
    async received(count: number, milliseconds: number): Promise<void> {
      const end = performance.now() + milliseconds;
      while (replyCount() < Math.min(count, maxReplies ?? count) && performance.now() < end)
        await Bun.sleep(5);
    },
    async stop(): Promise<LoadResult> {
      child.stdin.end();
      return JSON.parse(await new Response(child.stdout).text());
    },
  };
}
