/** A complete reply. `head` has its status line and headers. */
export type Reply = { status: number; head: string; body: Buffer; text: string };
/** A reply, or the part of one that was received before the connection closed. */
export type Answer = Reply | { cut: string };

export type Connection = {
  /** Sends a complete request. The previous one must have a reply. */
  send(request: string | Uint8Array, options?: { isHead: boolean }): Promise<Answer>;
  isOpen(): boolean;
  close(): void;
};

const none = Buffer.alloc(0);

/** Opens a connection for one request at a time, which repeats no request. */
export async function connectTo(url: string): Promise<Connection> {
  let received: Buffer = none;
  let unsent: Uint8Array = none;
  let isOpen = true;
  let waiting: (PromiseWithResolvers<Answer> & { isHead: boolean }) | undefined;
  const settle = (isEnd: boolean): void => {
    if (!waiting) return;
    const found = replyIn(received, { isEnd, isHead: waiting.isHead });
    if (!found && !isEnd) return;
    if (found && received.length > found.size)
      waiting.reject(new Error(`more was answered than one reply: ${found.reply.head}`));
    else waiting.resolve(found?.reply ?? { cut: received.toString("latin1") });
    waiting = undefined;
    received = none;
  };
  const end = (): void => {
    isOpen = false;
    settle(true);
  };
  const flush = (): void => {
    if (unsent.length > 0) unsent = unsent.subarray(Math.max(0, socket.write(unsent)));
  };
  const { hostname, port } = new URL(url);
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data(_, chunk) {
        received = received.length === 0 ? Buffer.from(chunk) : Buffer.concat([received, chunk]);
        settle(false);
      },
      drain: flush,
      close: end,
      error: end,
    },
  });
  return {
    send(request, { isHead } = { isHead: false }) {
      if (!isOpen) return Promise.resolve({ cut: "" });
      if (waiting) throw new Error("a request is under way on this connection");
      const sent = { ...Promise.withResolvers<Answer>(), isHead };
      waiting = sent;
      unsent = Buffer.from(request);
      flush();
      return sent.promise;
    },
    isOpen: () => isOpen,
    close: () => socket.terminate(),
  };
}

/** The text of a request as it is sent. */
export function requestOf(key: string, method: string, path: string, body?: unknown): string {
  const head = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nx-api-key: ${key}\r\n`;
  if (body === undefined) return `${head}\r\n`;
  const json = JSON.stringify(body);
  const length = Buffer.byteLength(json);
  return `${head}content-type: application/json\r\ncontent-length: ${length}\r\n\r\n${json}`;
}

/** The reply that these bytes begin with, and its size; undefined while it is incomplete. */
function replyIn(bytes: Buffer, { isEnd, isHead }: { isEnd: boolean; isHead: boolean }) {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const head = bytes.toString("latin1", 0, headEnd);
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
  if (!(status > 0)) throw new Error(`a reply without a status: ${head}`);
  const found = bodyIn(bytes, headEnd + 4, { head, isEmpty: isHead || status === 204, isEnd });
  return found && { reply: { status, head, body: found.body, text: found.body.toString() }, size: found.end };
}

/** Without a length, the body ends with the connection. */
function bodyIn(bytes: Buffer, start: number, of: { head: string; isEmpty: boolean; isEnd: boolean }) {
  if (of.isEmpty) return { body: none, end: start };
  if (/\r\ntransfer-encoding: *chunked/i.test(of.head)) return chunksIn(bytes, start);
  const length = /\r\ncontent-length: *(\d+)/i.exec(of.head)?.[1];
  if (length === undefined && !of.isEnd) return undefined;
  const end = length === undefined ? bytes.length : start + Number(length);
  return end > bytes.length ? undefined : { body: bytes.subarray(start, end), end };
}

/** The body in chunks (RFC 9112, section 7.1), and where it ends; undefined if the last chunk is missing. */
function chunksIn(bytes: Buffer, start: number): { body: Buffer; end: number } | undefined {
  const parts: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(bytes.toString("latin1", at, lineEnd), 16);
    const end = lineEnd + 2 + size + 2;
    if (bytes.length < end) return undefined;
    if (size === 0) return { body: Buffer.concat(parts), end };
    parts.push(bytes.subarray(lineEnd + 2, end - 2));
    at = end;
  }
}
