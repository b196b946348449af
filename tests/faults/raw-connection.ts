/** A complete reply, or the part that was received before the connection closed. */
export type Answer = { status: number; text: string; head: string } | { cut: string };

export type Connection = {
  /** Sends a complete request. The previous one must have a reply. */
  send(request: string): Promise<Answer>;
  close(): void;
};

/** Opens a connection for one request at a time, which repeats no request. */
export async function connectTo(url: string): Promise<Connection> {
  let received = "";
  let isOpen = true;
  let waiting: PromiseWithResolvers<Answer> | undefined;
  const end = (): void => {
    isOpen = false;
    waiting?.resolve({ cut: received });
    waiting = undefined;
  };
  const { hostname, port } = new URL(url);
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data(_, chunk) {
        received += chunk.toString("latin1");
        const answer = wholeAnswer(received);
        if (!answer || !waiting) return;
        received = "";
        const { resolve } = waiting;
        waiting = undefined;
        resolve(answer);
      },
      close: end,
      error: end,
    },
  });
  return {
    send(request) {
      if (!isOpen) return Promise.resolve({ cut: "" });
      if (waiting) throw new Error("a request is under way on this connection");
      waiting = Promise.withResolvers<Answer>();
      const { promise } = waiting;
      const written = socket.write(request);
      // These requests are so small that the kernel accepts each in one write.
      if (written > 0 && written < Buffer.byteLength(request)) throw new Error("a request was sent in part");
      return promise;
    },
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

function wholeAnswer(received: string): Answer | undefined {
  const end = received.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const head = received.slice(0, end);
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
  const length = status === 204 ? 0 : Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1]);
  if (!(status > 0) || !(length >= 0)) throw new Error(`an answer without a status or a length: ${head}`);
  const text = received.slice(end + 4);
  if (text.length > length) throw new Error("more was answered than the answer's length");
  return text.length < length ? undefined : { status, text, head };
}
