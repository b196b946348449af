import type { Socket } from "bun";
import { AnswerReader } from "./answers.ts";

/** Requests of one kind: so many connections, each with one under way at a time. */
export type Stream = {
  connections: number;
  /** The n-th request, whole, in ASCII. */
  next: (n: number) => string;
};
export type Span = { warmup: number; seconds: number };
export type Figures = {
  perSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  max: number;
  answered: number;
  /** Answers that are no success, by status. A measurement that has any is none. */
  failed: Record<string, number>;
};

/** With fewer answers than these, in all and by connection, no figure is had: it goes on for longer, within bounds. */
const fewestAnswers = 10;
const fewestEach = 3;
const longestExtra = 10_000;
const patience = 30_000;

/** Sends all streams at once, and returns what was measured of each after the warm-up (seconds). */
export async function drive(port: number, streams: Stream[], { warmup, seconds }: Span): Promise<Figures[]> {
  const start = performance.now();
  const run: Run = {
    warmUntil: start + warmup * 1000,
    until: start + (warmup + seconds) * 1000,
    atLatest: start + (warmup + seconds) * 1000 + longestExtra,
    lanes: 0,
    isOver: false,
    tallies: streams.map((stream) => new Tally(stream, start)),
    ended: Promise.withResolvers(),
  };
  // A connection may be closed before the others stand, when nobody waits for the end yet.
  run.ended.promise.catch(() => {});
  const sockets = await Promise.all(
    run.tallies.flatMap((tally) =>
      Array.from({ length: tally.stream.connections }, () => connect(port, run, tally)),
    ),
  );
  run.lanes = sockets.length;
  const late = setTimeout(
    () => run.ended.reject(new Error("requests were not answered in time")),
    run.atLatest - start + patience,
  );
  try {
    for (const socket of sockets) send(socket, performance.now());
    await run.ended.promise;
  } finally {
    clearTimeout(late);
    for (const socket of sockets) socket.terminate();
  }
  return run.tallies.map((tally) => tally.figures());
}

type Run = {
  warmUntil: number;
  until: number;
  atLatest: number;
  /** Connections with a request under way. */
  lanes: number;
  isOver: boolean;
  tallies: Tally[];
  ended: PromiseWithResolvers<void>;
};
type Lane = { run: Run; tally: Tally; reader: AnswerReader; sentAt: number; unsent: string };

function connect(port: number, run: Run, tally: Tally): Promise<Socket<Lane>> {
  return Bun.connect<Lane>({
    hostname: "127.0.0.1",
    port,
    data: { run, tally, reader: new AnswerReader(), sentAt: 0, unsent: "" },
    socket: {
      data: receive,
      drain: (socket) => write(socket, socket.data.unsent),
      close: () => run.ended.reject(new Error("a connection was closed by the server")),
      error: (_, error) => run.ended.reject(error),
    },
  });
}

function receive(socket: Socket<Lane>, chunk: Buffer): void {
  const { run, tally, reader, sentAt } = socket.data;
  try {
    if (!reader.feed(chunk)) return;
  } catch (error) {
    run.ended.reject(error);
    return;
  }
  const now = performance.now();
  // What is under way at the end counts too: a slow server may answer all of its connections at once.
  if (now < run.warmUntil) tally.since = now;
  else tally.note(reader.status, now, now - sentAt);
  run.isOver ||= now >= run.until && (now >= run.atLatest || run.tallies.every((one) => one.isEnough()));
  if (!run.isOver) send(socket, now);
  else if (--run.lanes === 0) run.ended.resolve();
}

function send(socket: Socket<Lane>, now: number): void {
  const { tally } = socket.data;
  socket.data.sentAt = now;
  write(socket, tally.stream.next(tally.sent++));
}

function write(socket: Socket<Lane>, text: string): void {
  if (text === "") return;
  const written = socket.write(text);
  // In ASCII a byte is a character.
  socket.data.unsent = written < text.length ? text.slice(Math.max(0, written)) : "";
}

/** What is measured of a stream: from the last answer of the warm-up to the last one before the end. */
class Tally {
  readonly stream: Stream;
  sent = 0;
  since: number;
  #until: number;
  #answered = 0;
  #latencies = new Float64Array(1 << 16);
  #failed: Record<string, number> = {};

  constructor(stream: Stream, since: number) {
    this.stream = stream;
    this.since = since;
    this.#until = since;
  }

  note(status: number, now: number, latency: number): void {
    if (status < 200 || status > 299) {
      this.#failed[status] = (this.#failed[status] ?? 0) + 1;
      return;
    }
    if (this.#answered === this.#latencies.length) {
      const more = new Float64Array(2 * this.#latencies.length);
      more.set(this.#latencies);
      this.#latencies = more;
    }
    this.#latencies[this.#answered++] = latency;
    this.#until = now;
  }

  isEnough(): boolean {
    const fewest = Math.max(fewestAnswers, fewestEach * this.stream.connections);
    return this.#answered >= fewest || Object.keys(this.#failed).length > 0;
  }

  figures(): Figures {
    const sorted = this.#latencies.subarray(0, this.#answered).sort();
    const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
    const seconds = (this.#until - this.since) / 1000;
    return {
      perSecond: seconds > 0 ? this.#answered / seconds : 0,
      p50: at(0.5),
      p99: at(0.99),
      max: at(1),
      answered: this.#answered,
      failed: this.#failed,
    };
  }
}
