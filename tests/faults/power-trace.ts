import { resolve } from "node:path";

/** One step of the program: a change of a file or a folder of its data, or an output. */
export type Step =
  | { does: "write"; path: string; offset: number; data: Uint8Array }
  | { does: "resize"; path: string; size: number }
  | { does: "sync"; path: string }
  | { does: "make"; path: string; isFolder: boolean }
  | { does: "rename"; path: string; to: string }
  | { does: "remove"; path: string }
  | { does: "tell"; text: string };

/** Every system call that can change a file or a folder. The proof fails at one that `stepOf` does not support. */
const calls = [
  "pwrite64,write,writev,pwritev,pwritev2,sendto,sendmsg,sendmmsg,fsync,fdatasync,sync_file_range,ftruncate,truncate",
  "fallocate,copy_file_range,sendfile,splice,open,openat,openat2,creat,mkdir,mkdirat,rename,renameat,renameat2",
  "unlink,unlinkat,rmdir,link,linkat,symlink,symlinkat,chdir",
].join(",");

/** A command line that runs another one and writes its system calls to `trace`, with all bytes. */
export function traced(program: readonly string[], trace: string): string[] {
  const form = ["-f", "-y", "-xx", "-s", "2000000", "--seccomp-bpf", "-e", `trace=${calls}`];
  // With -D the program is the child process that receives signals, not strace.
  return ["strace", "-D", ...form, "-o", trace, "--", ...program];
}

/** The reason why tracing is not possible on this machine, or undefined. */
export function cannotTrace(): string | undefined {
  if (Bun.which("strace") === null) return "strace is not installed";
  const { exitCode, stderr } = Bun.spawnSync(traced(["true"], "/dev/null"));
  if (exitCode === 0) return undefined;
  return `strace cannot be used: ${stderr.toString().trim().split("\n")[0]}`;
}

/** Whether a trace with this beginning and end is complete: its first process, which ends last, has ended. */
export function isWhole(start: string, end: string): boolean {
  const first = /^\d+/.exec(start)?.[0];
  return first !== undefined && new RegExp(`^${first} +\\+\\+\\+ (?:exited|killed)`, "m").test(end);
}

/** The steps of a program in `folder`: those that concern the folder, and outputs. */
export function readTrace(trace: string, folder: string): Step[] {
  const steps: Step[] = [];
  const begun = new Map<string, string>();
  for (let from = 0; from < trace.length; ) {
    const end = trace.indexOf("\n", from);
    const line = trace.slice(from, end < 0 ? trace.length : end);
    from += line.length + 1;
    const space = line.indexOf(" ");
    const thread = line.slice(0, space);
    const text = line.slice(space).trimStart();
    if (text.endsWith(unfinished)) {
      const start = text.slice(0, -unfinished.length);
      // Output may be received before the system call returns.
      const step = stepOf(`${start}) = 0`, folder);
      if (step?.does === "tell") steps.push(step);
      else begun.set(thread, start);
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>/.exec(text);
    const start = begun.get(thread);
    begun.delete(thread);
    if (resumed && start === undefined) continue;
    const step = stepOf(resumed ? start + text.slice(resumed[0].length) : text, folder);
    if (step) steps.push(step);
  }
  return steps;
}

const unfinished = " <unfinished ...>";
const bytes = String.raw`((?:\\x[0-9a-f]{2})*)`;
const descriptor = new RegExp(`^\\d+<${bytes}>(\\(deleted\\))?`);
const quoted = new RegExp(`"${bytes}"`, "g");

function stepOf(line: string, folder: string): Step | undefined {
  const equals = line.lastIndexOf(" = ");
  const result = line.slice(equals + " = ".length);
  const step = /^[\d?]/.test(result) ? callOf(line, equals, folder) : undefined;
  // A failed call has no effect. A call without a result was interrupted by a kill, but its output may be received.
  return result.startsWith("?") && step?.does !== "tell" ? undefined : step;
}

function callOf(line: string, equals: number, folder: string): Step | undefined {
  const [head, name] = /^(\w+)\(/.exec(line) ?? [];
  if (head === undefined || name === undefined) return undefined;
  const given = line.slice(head.length, equals).trimEnd().slice(0, -1);
  const onFile = descriptor.exec(given);
  if (onFile?.[2]) return undefined;
  if (onFile) return onDescriptor(name, given, text(onFile[1]), folder);
  if (name === "chdir") throw new Error("the program went to another folder");
  const paths = [...given.matchAll(quoted)].map(([, path]) => resolve(folder, text(path)));
  const [path, to] = paths;
  if (path === undefined || !paths.some((one) => isOfData(one, folder))) return undefined;
  if (name === "mkdir" || name === "mkdirat") return { does: "make", path, isFolder: true };
  if (name === "unlink") return { does: "remove", path };
  if (name === "rename" && to !== undefined) return { does: "rename", path, to };
  if (name === "openat" && !given.includes("O_TRUNC"))
    return given.includes("O_CREAT") ? { does: "make", path, isFolder: false } : undefined;
  throw new Error(`nothing is known of ${name} on ${path}`);
}

function onDescriptor(name: string, given: string, path: string, folder: string): Step | undefined {
  if (!isOfData(path, folder)) {
    if (!/^(?:p?write|send)/.test(name)) return undefined;
    const told = [...given.matchAll(quoted)].map(([, some]) => text(some)).join("");
    return told === "" ? undefined : { does: "tell", text: told };
  }
  if (name === "fsync" || name === "fdatasync") return { does: "sync", path };
  const numbers = given.slice(given.lastIndexOf('"') + 1).split(", ");
  if (name === "ftruncate") return { does: "resize", path, size: Number(numbers.at(-1)) };
  if (name !== "pwrite64") throw new Error(`nothing is known of ${name} on ${path}`);
  const data = unescaped(given.slice(given.indexOf('"') + 1, given.lastIndexOf('"')));
  if (data.length !== Number(numbers[1])) throw new Error(`the trace holds a part of a write to ${path}`);
  return { does: "write", path, offset: Number(numbers[2]), data };
}

/** The lock has no content, and SQLite creates a missing WAL index again. */
function isOfData(path: string, folder: string): boolean {
  const isInside = path === folder || path.startsWith(`${folder}/`);
  return isInside && !path.endsWith(".lock") && !path.endsWith("-shm");
}

function unescaped(hex: string): Buffer {
  return Buffer.from(hex.replaceAll("\\x", ""), "hex");
}

function text(hex = ""): string {
  return unescaped(hex).toString();
}
