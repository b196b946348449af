import type { WorkerReply, WorkerRequest, WorkerTask } from "./read-worker.ts";

type Pending = { resolve: (rows: unknown[][]) => void; reject: (error: Error) => void };

/** A bundle has the worker as a further entry point, under its path in the repository. */
const entryPoint = import.meta.url.endsWith(".ts") ? "./read-worker.ts" : "./db/sqlite/reads/read-worker.js";
/** The id of the reply to `close`. */
const CLOSED = 0;

/** A worker thread with its own read-only connection. It runs one read at a time. */
export class WorkerConnection {
  readonly #worker = new Worker(new URL(entryPoint, import.meta.url).href);
  readonly #pending = new Map<number, Pending>();
  #lastId = CLOSED;
  #failure: Error | undefined;
  #hasBegun = false;

  constructor(file: string) {
    this.#worker.onmessage = ({ data }: MessageEvent<WorkerReply>) => this.#settle(data);
    this.#worker.onerror = ({ message }) => {
      this.#failure = new Error(`the read worker failed: ${message}`);
      this.#rejectAll(this.#failure);
    };
    this.#worker.unref();
    this.#post({ kind: "open", file });
  }

  /** Whether the thread ended by an error. It answers nothing any more. */
  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  /** Runs a statement of the current read. Throws SQLite's errors, with their codes, and QUERY_TIMEOUT. */
  all(task: WorkerTask): Promise<unknown[][]> {
    const isFirst = !this.#hasBegun;
    this.#hasBegun = true;
    return this.#request((id) => ({ ...task, id, isFirst }));
  }

  /** Ends the current read: the next statement has another snapshot. Resolves when the file is not read any more. */
  async end(): Promise<void> {
    this.#hasBegun = false;
    // A thread that ended reads nothing either.
    await this.#request((id) => ({ kind: "end", id })).catch(() => {});
  }

  /** Closes the connection and ends the thread: after its running statement, or without it after a time limit. */
  async close(maxWaitMilliseconds: number): Promise<void> {
    if (this.#failure) return;
    const closed = new Promise<unknown>((resolve, reject) => this.#pending.set(CLOSED, { resolve, reject }));
    this.#post({ kind: "close" });
    await Promise.race([closed.catch(() => {}), Bun.sleep(maxWaitMilliseconds)]);
    this.#rejectAll(new Error("the worker is closed"));
    this.#worker.terminate();
  }

  #request(make: (id: number) => WorkerRequest): Promise<unknown[][]> {
    if (this.#failure) return Promise.reject(this.#failure);
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      // The reply keeps the process running.
      this.#worker.ref();
      this.#pending.set(id, { resolve, reject });
      this.#post(make(id));
    });
  }

  #post(request: WorkerRequest): void {
    this.#worker.postMessage(request);
  }

  #settle(reply: WorkerReply): void {
    const pending = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if (this.#pending.size === 0) this.#worker.unref();
    if ("rows" in reply) pending?.resolve(reply.rows);
    else pending?.reject(Object.assign(new Error(reply.error.message), { code: reply.error.code }));
  }

  #rejectAll(error: Error): void {
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}
