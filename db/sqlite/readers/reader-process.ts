import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Value } from "../../engine.ts";
import { EngineBusy } from "../../errors.ts";
import type { ReaderReply, ReaderRequest } from "./reader.ts";

/** The first argument of the binary as a reader process. */
export const readerArgument = "--reader";

type Pending = { resolve: (rows: unknown[][]) => void; reject: (error: unknown) => void };

/** The running program, also when its file was replaced by another version. */
const executable = existsSync("/proc/self/exe") ? "/proc/self/exe" : process.execPath;

/** The command line of this program. `source` is its first file when it runs from source, where other programs call this, too. */
export function ownProgram(source: URL): string[] {
  if (import.meta.url.endsWith(".ts")) return [executable, "--no-env-file", fileURLToPath(source)];
  return [executable, ...(Bun.main.startsWith("/$bunfs/") ? [] : [Bun.main])];
}

const readerSource = new URL("./reader.ts", import.meta.url);
const program = [...ownProgram(readerSource), ...(import.meta.url.endsWith(".ts") ? [] : [readerArgument])];
/** On Linux the kernel kills the process when its parent ends, also during a statement. */
export const childEnvironment = { BUN_FEATURE_FLAG_NO_ORPHANS: "1" };

/** A process with its own read-only connection. It runs one read at a time. */
export class ReaderProcess {
  readonly #file: string;
  readonly #process: Bun.Subprocess;
  /** In the order of their requests, which is the order of the replies. */
  readonly #pending: Pending[] = [];
  readonly #ended = Promise.withResolvers<void>();
  #failure: Error | undefined;
  #hasBegun = false;

  /**
   * Throws when the process cannot be started. `onEnded` is called when it has ended, with an error unless `kill` ended
   * it.
   */
  constructor(file: string, onEnded: (failure?: Error) => void) {
    this.#file = file;
    this.#process = Bun.spawn(program, {
      argv0: process.execPath,
      env: childEnvironment,
      stdio: ["ignore", "ignore", "ignore"],
      serialization: "advanced",
      ipc: (reply: ReaderReply) => this.#settle(reply),
      onExit: (_, exitCode, signal) => {
        const failure = this.hasFailed ? undefined : new EngineBusy(`a reader ended: ${signal ?? exitCode}`);
        this.#fail(failure);
        onEnded(failure);
        this.#ended.resolve();
      },
    });
    // The time limit of a read keeps the serving process running.
    this.#process.unref();
  }

  get pid(): number {
    return this.#process.pid;
  }

  /** Whether it ended or is ending. */
  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  /** Runs a statement of the current read. Throws SQLite's errors with their codes, the error of `kill`, and EngineBusy. */
  all(sql: string, params: readonly Value[]): Promise<unknown[][]> {
    const file = this.#hasBegun ? undefined : this.#file;
    this.#hasBegun = true;
    return this.#request({ sql, params, file });
  }

  /** Ends the current read: the next statement has another snapshot. Resolves when the file is not read any more. */
  async end(): Promise<void> {
    if (this.#hasBegun) await this.#request("end").catch(() => {});
    this.#hasBegun = false;
    if (this.hasFailed) await this.#ended.promise;
  }

  /** Ends the process at once; resolves when it has ended. Its running statement and later ones throw `error`. */
  async kill(error: Error): Promise<void> {
    this.#fail(error);
    this.#process.kill("SIGKILL");
    await this.#ended.promise;
  }

  #request(request: ReaderRequest): Promise<unknown[][]> {
    if (this.hasFailed) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#pending.push({ resolve, reject });
      this.#process.send(request);
    });
  }

  #settle(reply: ReaderReply): void {
    const pending = this.#pending.shift();
    // Safe: a reader replies with rows of values.
    if (typeof reply === "string") pending?.resolve(JSON.parse(reply) as unknown[][]);
    else pending?.reject(Object.assign(new Error(reply.message), { code: reply.code }));
  }

  #fail(error: Error | undefined): void {
    this.#failure ??= error;
    for (const { reject } of this.#pending.splice(0)) reject(this.#failure);
  }
}
