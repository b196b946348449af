import { createInterface } from "node:readline";
import type { Subprocess } from "bun";
import { drive, type Span } from "./connections.ts";
import { contestants, sentTo } from "./contestants.ts";
import type { Data } from "./data.ts";
import { messageOf } from "./message.ts";
import type { Figures } from "./tally.ts";
import { growthWorks, works } from "./work.ts";

export type Job = Span & { port: number; contestant: string; work: string };

/**
 * Starts the load program in a process of its own, so that it and the servers do not share a thread. It takes
 * its jobs one after another, a line of JSON each, after a first line with the data.
 */
export function startLoad(data: Data): { drive(job: Job): Promise<Figures>; end(): void } {
  const child: Subprocess<"pipe", "pipe", "inherit"> = Bun.spawn([process.execPath, import.meta.path], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  child.stdin.write(`${JSON.stringify(data)}\n`);
  const lines = linesOf(child.stdout);
  return {
    async drive(job) {
      child.stdin.write(`${JSON.stringify(job)}\n`);
      await child.stdin.flush();
      const { value } = await lines.next();
      if (value === undefined) throw new Error("the load program has ended");
      // Safe: the process below wrote it.
      const answer = JSON.parse(value) as Figures | { error: string };
      if ("error" in answer) throw new Error(answer.error);
      return answer;
    },
    end: () => child.kill(),
  };
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    const parts = (text + decoder.decode(chunk, { stream: true })).split("\n");
    text = parts.pop() ?? "";
    yield* parts;
  }
}

async function takeJobs(): Promise<void> {
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  // Safe: `startLoad` wrote them.
  const data = JSON.parse((await lines.next()).value ?? "") as Data;
  const known = new Map([...works(data), ...growthWorks(data)].map((work) => [work.name, work]));
  for (let line = await lines.next(); !line.done; line = await lines.next())
    process.stdout.write(`${JSON.stringify(await take(JSON.parse(line.value) as Job))}\n`);

  async function take({
    port,
    contestant: of,
    work: name,
    ...span
  }: Job): Promise<Figures | { error: string }> {
    const work = known.get(name);
    const contestant = contestants.find((one) => one.name === of);
    if (!work || !contestant)
      return { error: `there is no work named ${name}, or no contestant named ${of}` };
    const streams = work.streams.map(({ connections, asked }) => ({
      connections,
      next: (n: number) => textOf(sentTo(contestant, asked(n))),
    }));
    try {
      return figuresOf(await drive(port, streams, span)) ?? { error: `${name} sends nothing` };
    } catch (error) {
      return { error: messageOf(error) };
    }
  }
}

/** The measurement of the last stream with the failures of all: a failure of another stream invalidates it. */
function figuresOf(streams: Figures[]): Figures | undefined {
  const last = streams.at(-1);
  const failed: Figures["failed"] = {};
  for (const [status, count] of streams.flatMap((stream) => Object.entries(stream.failed)))
    failed[status] = (failed[status] ?? 0) + count;
  return last && { ...last, failed };
}

function textOf({ method, path, header, body }: ReturnType<typeof sentTo>): string {
  const head = `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${header.join(": ")}\r\n`;
  if (body === undefined) return `${head}\r\n`;
  return `${head}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

if (import.meta.main) await takeJobs();
