import type { Socket } from "bun";
import type { Span, Stream } from "./connections.ts";
import { ReplyReader } from "./reply-reader.ts";
import { type Figures, Tally } from "./tally.ts";

/** The time for the replies to the last requests. */
const patience = 30_000;

type Lane = { reader: ReplyReader; dueAt: number; unsent: string };

/**
 * Sends requests at a constant rate, whether or not earlier ones have a reply, and measures each from the moment when
 * it was due. A closed loop hides waiting, because its connections do not send while they wait (Gil Tene, wrk2).
 */
export async function driveAtRate(
  port: number,
  stream: Stream,
  perSecond: number,
  { warmup, seconds }: Span,
): Promise<Figures> {
  const start = performance.now();
  const warmUntil = start + warmup * 1000;
  const until = warmUntil + seconds * 1000;
  const tally = new Tally(stream, start);
  const ended = Promise.withResolvers<void>();
  ended.promise.catch(() => {});
  const idle: Socket<Lane>[] = [];
  const sockets: Socket<Lane>[] = [];

  /** Sends the requests that are due, as long as a connection is idle. */
  function sendDue(): void {
    const now = performance.now();
    for (;;) {
      const dueAt = start + (tally.sent * 1000) / perSecond;
      if (dueAt >= until) {
        if (idle.length === sockets.length) ended.resolve();
        return;
      }
      const socket = dueAt <= now ? idle.pop() : undefined;
      if (!socket) return;
      socket.data.dueAt = dueAt;
      write(socket, stream.next(tally.sent++));
    }
  }

  function receive(socket: Socket<Lane>, chunk: Buffer): void {
    const { reader, dueAt } = socket.data;
    try {
      if (!reader.feed(chunk)) return;
    } catch (error) {
      ended.reject(error);
      return;
    }
    const now = performance.now();
    if (dueAt < warmUntil) tally.warmUp(reader.status, now);
    else tally.note(reader.status, now, now - dueAt);
    idle.push(socket);
    sendDue();
  }

  const connect = () =>
    Bun.connect<Lane>({
      hostname: "127.0.0.1",
      port,
      data: { reader: new ReplyReader(), dueAt: 0, unsent: "" },
      socket: {
        data: receive,
        drain: (socket) => write(socket, socket.data.unsent),
        close: () => ended.reject(new Error("a connection was closed by the server")),
        error: (_, error) => ended.reject(error),
      },
    });
  let timer: Timer | undefined;
  let late: Timer | undefined;
  try {
    for (let i = 0; i < stream.connections; i++) sockets.push(await connect());
    idle.push(...sockets);
    timer = setInterval(sendDue, 1);
    late = setTimeout(
      () => ended.reject(new Error("requests had no reply in time")),
      until - start + patience,
    );
    await ended.promise;
  } finally {
    clearInterval(timer);
    clearTimeout(late);
    for (const socket of sockets) socket.terminate();
  }
  return tally.figures();
}

function write(socket: Socket<Lane>, text: string): void {
  if (text === "") return;
  const written = socket.write(text);
  // In ASCII a byte is a character.
  socket.data.unsent = written < text.length ? text.slice(Math.max(0, written)) : "";
}
