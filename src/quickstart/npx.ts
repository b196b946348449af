import { readFileSync } from "node:fs";
import { fastPollMilliseconds } from "../../db/timer.ts";

/** The title of npm's process for `npx` and `npm exec`. */
const npxTitle = /^(?:npm exec|npx) /;

/**
 * Stops this process, as SIGTERM does, soon after `npx` that has started it: npm passes no signal on, and the processes
 * between continue as children of process 1.
 */
export function stopWithNpx(): void {
  const npx = findNpx();
  if (npx === undefined) return;
  const timer = setInterval(() => {
    if (isRunning(npx)) return;
    clearInterval(timer);
    process.kill(process.pid, "SIGTERM");
  }, fastPollMilliseconds);
  timer.unref();
}

function findNpx(): number | undefined {
  let pid = process.ppid;
  while (pid > 1) {
    const { parent, command } = describe(pid);
    if (npxTitle.test(command)) return pid;
    pid = parent;
  }
  return undefined;
}

/** The parent and the command line of a process; 0 if there is no such process. */
function describe(pid: number): { parent: number; command: string } {
  try {
    if (process.platform !== "linux") {
      const { stdout } = Bun.spawnSync(["ps", "-o", "ppid=,args=", "-p", String(pid)]);
      const [, parent, command = ""] = /^\s*(\d+)\s+(.*)/.exec(stdout.toString()) ?? [];
      return { parent: Number(parent ?? 0), command };
    }
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name of a program, in parentheses, may contain spaces.
    const parent = Number(stat.slice(stat.lastIndexOf(")")).split(" ")[2]);
    return { parent, command: readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ") };
  } catch {
    return { parent: 0, command: "" };
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
