import { createFetch } from "../../src/http/create-fetch.ts";
import { world } from "../support/world.ts";

export type Answer = { status: number; headers: Map<string, string>; body: string };
type Service = Awaited<ReturnType<typeof world>>;

/** Runs the test against a world that listens on a socket as `accountd serve` does. */
export async function listening(test: (service: Service, port: number) => Promise<void>): Promise<void> {
  const service = await world();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: createFetch(service.app.fetch),
    idleTimeout: 10,
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
  });
  try {
    await test(service, server.port ?? 0);
  } finally {
    await server.stop(true);
  }
}

/** A connection that sends bytes unchanged, and decodes received ones as Latin-1. */
export async function connect(port: number) {
  let received = "";
  let isOpen = true;
  let unsent: Uint8Array = new Uint8Array();
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      data: (_, bytes) => {
        received += bytes.toString("latin1");
      },
      drain: flush,
      close: () => {
        isOpen = false;
      },
      error: () => {
        isOpen = false;
      },
    },
  });

  function flush(): void {
    if (unsent.length > 0) unsent = unsent.subarray(Math.max(0, socket.write(unsent)));
  }

  return {
    send(text: string): void {
      unsent = Buffer.concat([unsent, Buffer.from(text, "latin1")]);
      flush();
    },
    /** The received text as soon as `enough` is true for it or the connection is closed, at most after 3 s. */
    async read(enough: (text: string) => boolean = () => false): Promise<string> {
      const end = performance.now() + 3_000;
      while (isOpen && !enough(received) && performance.now() < end) await Bun.sleep(2);
      return received;
    },
    close: () => socket.end(),
  };
}

/** Sends the requests on one connection, the last of which closes it, and returns the replies in order. */
export async function exchange(port: number, text: string): Promise<Answer[]> {
  const connection = await connect(port);
  connection.send(text);
  const received = await connection.read();
  connection.close();
  return answersIn(received);
}

/** A request of these lines, with connection: close. */
export function request(line: string, headers: string[] = ["Host: localhost"], body = ""): string {
  return [`${line} HTTP/1.1`, ...headers, "Connection: close", "", body].join("\r\n");
}

function answersIn(received: string): Answer[] {
  const answers: Answer[] = [];
  let rest = received;
  while (rest.startsWith("HTTP/1.1 ")) {
    const [head = "", ...bodies] = rest.split("\r\n\r\n");
    const [first = "", ...lines] = head.split("\r\n");
    const headers = new Map(
      lines.map((line) => [line.split(":")[0]?.toLowerCase() ?? "", line.replace(/^[^:]*: */, "")]),
    );
    const after = bodies.join("\r\n\r\n");
    const length = Number(headers.get("content-length") ?? 0);
    answers.push({ status: Number(first.split(" ")[1]), headers, body: after.slice(0, length) });
    rest = after.slice(length);
  }
  if (rest !== "") throw new Error(`no HTTP answer: ${rest.slice(0, 100)}`);
  return answers;
}
