/** The parts of a request before its response: its checks and its body, waits, statements with their commit. */
type RequestPart = "body" | "queue" | "database";

/** Where the time of one request went, in milliseconds. */
export class RequestTimes {
  readonly milliseconds: Record<RequestPart, number> = { body: 0, queue: 0, database: 0 };
  #since = performance.now();

  /** Adds the time since the last call, or since the start, to a part. */
  end(part: RequestPart): void {
    const now = performance.now();
    this.milliseconds[part] += now - this.#since;
    this.#since = now;
  }
}
