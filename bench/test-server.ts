import type { Socket, TCPSocketListener } from "bun";
import type { Stream } from "./connections.ts";

/** The handler of a test server. Receives the path and a function that sends the reply. */
export type RequestHandler = (
  path: string,
  send: (text: string) => void,
  socket: Socket<{ text: string }>,
) => void;

let server: TCPSocketListener<{ text: string }> | undefined;

/** A server for tests, for requests without a body. It does not support pipelining. */
export function serve(handler: RequestHandler): number {
  server = Bun.listen<{ text: string }>({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open(socket) {
        socket.data = { text: "" };
      },
      data(socket, chunk) {
        socket.data.text += chunk.toString("latin1");
        if (!socket.data.text.endsWith("\r\n\r\n")) return;
        const path = /^GET (\S+) HTTP\/1\.1\r\n(?:[^\r\n]+\r\n)*\r\n$/.exec(socket.data.text)?.[1] ?? "none";
        socket.data.text = "";
        handler(path, (text) => void socket.write(text), socket);
      },
    },
  });
  return server.port;
}

export function stopServing(): void {
  server?.stop(true);
}

export function replyOf(status: number): string {
  return `HTTP/1.1 ${status} Some words\r\ncontent-length: 2\r\n\r\n{}`;
}

/** The n-th request is for the path and `n`. */
export function streamOf(connections: number, path = "/"): Stream {
  return { connections, next: (n) => `GET ${path}${n} HTTP/1.1\r\n\r\n` };
}
