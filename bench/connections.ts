import type { Socket } from "bun";
import { ReplyReader } from "./reply-reader.ts";
import { type Figures, Tally } from "./tally.ts";

/** Requests of one kind, on this number of connections with one open request each. */
export type Stream = {
  connections: number;
  /** The n-th request as ASCII text. */
  next: (n: number) => string;
};
export type Span = { warmup: number; seconds: number };

/** The extra time for a stream with too few replies, and for the replies to the last requests. */
const longestExtra = 10_000;
const patience = 30_000;

/** Sends all streams concurrently, and returns the measurement of each after the warm-up (seconds). */
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
  // A connection may be closed before the others are open, when the promise has no handler yet.
  run.ended.promise.catch(() => {});
  const sockets = await connectAll(port, run);
  run.lanes = sockets.length;
  const late = setTimeout(
    () => run.ended.reject(new Error("requests had no reply in time")),
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
  /** Connections with an open request. */
  lanes: number;
  isOver: boolean;
  tallies: Tally[];
  ended: PromiseWithResolvers<void>;
};
type Lane = { run: Run; tally: Tally; reader: ReplyReader; sentAt: number; unsent: string };

/** Opens all connections, or closes them and throws. */
async function connectAll(port: number, run: Run): Promise<Socket<Lane>[]> {
  const all = await Promise.allSettled(
    run.tallies.flatMap((tally) =>
      Array.from({ length: tally.stream.connections }, () => connect(port, run, tally)),
    ),
  );
  const sockets = all.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
  const rejected = all.find((one) => one.status === "rejected");
  if (!rejected) return sockets;
  for (const socket of sockets) socket.terminate();
  throw rejected.reason;
}

function connect(port: number, run: Run, tally: Tally): Promise<Socket<Lane>> {
  return Bun.connect<Lane>({
    hostname: "127.0.0.1",
    port,
    data: { run, tally, reader: new ReplyReader(), sentAt: 0, unsent: "" },
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
  // Open requests count too, because a slow server may reply to all connections at once.
  if (now < run.warmUntil) tally.warmUp(reader.status, now);
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
