import type { Change, ChangesInit } from "./lists.ts";
import type { Methods } from "./methods.ts";
import { ProblemError } from "./problem.ts";
import { backOffMs, sleep } from "./retries.ts";

export type StreamInit = Omit<ChangesInit, "after"> & {
  /** A sequence number: the changes after it. Default: the changes from now on. */
  after?: number;
  /** Without an event or a comment for this time, the connection is lost. Default: 45; the server sends a comment every 15 s. */
  maxSilenceSeconds?: number;
};

/** After a connection of this time, the next pause is short again. */
const stableMs = 60_000;

/**
 * Each change as soon as it is made, in order and without gaps, until `signal` is aborted. Store the `sequence` of the last
 * change with your result, and continue from it. Connects again after a lost connection. Throws `ProblemError` when the
 * server rejects the request, such as 401 for a revoked key and 410 `changes_expired` for an `after` that is too old, and
 * the failure of the first connection after the last retry.
 */
export async function* streamChanges(
  { GET }: Methods,
  { after, signal, maxSilenceSeconds = 45, ...filters }: StreamInit = {},
): AsyncGenerator<Change, void, undefined> {
  let isConnected = false;
  for (let failures = 0; !signal?.aborted; failures += 1) {
    const startedAt = performance.now();
    let waitMs = 0;
    try {
      const query = { ...filters, ...(after !== undefined && { after }) };
      const init = { params: { query }, parseAs: "stream" as const, ...(signal && { signal }) };
      const { data: body, response } = await GET("/api/v1/changes/stream", init);
      // Such as the sign-in page of a proxy.
      if (!response.headers.get("content-type")?.startsWith("text/event-stream"))
        throw new ProblemError(response, undefined);
      isConnected = true;
      after ??= positionOf(response);
      for await (const { id, data } of readEvents(body, maxSilenceSeconds * 1_000)) {
        if (signal?.aborted) return;
        after = Number(id);
        failures = 0;
        yield JSON.parse(data);
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (!isConnected || isFinal(error)) throw error;
      if (error instanceof ProblemError) waitMs = (error.retryAfterSeconds ?? 0) * 1_000;
    }
    if (performance.now() - startedAt > stableMs) failures = 0;
    // The signal ends the loop.
    await sleep(Math.max(waitMs, backOffMs(failures)), signal).catch(() => {});
  }
}

/** Where a stream without `after` began. */
function positionOf({ headers }: Response): number | undefined {
  const id = headers.get("last-event-id");
  return id === null ? undefined : Number(id);
}

/** Whether another attempt would fail, too. */
function isFinal(error: unknown): boolean {
  if (error instanceof ProblemError) return error.status < 500 && error.retryAfterSeconds === undefined;
  return error instanceof SyntaxError;
}

type StreamEvent = { id: string; data: string };

/** The server-sent events of a response, until it ends or is silent. */
async function* readEvents(
  body: ReadableStream<Uint8Array> | null,
  maxSilenceMs: number,
): AsyncGenerator<StreamEvent, void, undefined> {
  const reader = body?.getReader();
  if (!reader) return;
  const decoder = new TextDecoder();
  const parse = createParser();
  try {
    for (;;) {
      // Afterwards the read resolves with the end.
      const silence = setTimeout(() => reader.cancel(), maxSilenceMs);
      const part = await reader.read().finally(() => clearTimeout(silence));
      if (part.done) return;
      yield* parse(decoder.decode(part.value, { stream: true }));
    }
  } finally {
    // A connection that failed cannot be cancelled.
    await reader.cancel().catch(() => {});
  }
}

/** Returns a function that takes the next text of a stream and returns its events (HTML Living Standard, 9.2.6). */
function createParser(): (text: string) => StreamEvent[] {
  let rest = "";
  let id = "";
  let data: string[] = [];
  return (text) => {
    const events: StreamEvent[] = [];
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const [, field, value = ""] = /^(id|data): ?(.*)$/s.exec(line.replace(/\r$/, "")) ?? [];
      if (field === "id") id = value;
      else if (field === "data") data.push(value);
      else if (/^\r?$/.test(line) && data.length > 0) {
        events.push({ id, data: data.join("\n") });
        data = [];
      }
    }
    return events;
  };
}
