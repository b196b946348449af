import { createInterface } from "node:readline";
import type { Subprocess } from "bun";
import { drive, type Span } from "./connections.ts";
import { linesOf } from "./lines.ts";
import { messageOf } from "./message.ts";
import type { EngineName } from "./options.ts";
import { postgresWorks } from "./postgres/work.ts";
import type { BenchRequest } from "./requests.ts";
import type { Figures } from "./tally.ts";
import { createAgain, type Organizations, works } from "./work.ts";

/** `engine` selects the works; SQLite by default. */
export type Job = Span & { port: number; work: string; engine?: EngineName };

/**
 * Starts the load program in a separate process, so that it and the servers do not share a thread. The first line
 * of its input is the data. Each other line is a job as JSON; the jobs run one after another.
 */
export function startLoad(data: Organizations): { drive(job: Job): Promise<Figures>; end(): void } {
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
      // Safe: `runJobs` wrote it.
      const reply = JSON.parse(value) as Figures | { error: string };
      if ("error" in reply) throw new Error(reply.error);
      return reply;
    },
    end: () => child.kill(),
  };
}

async function runJobs(): Promise<void> {
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  // Safe: `startLoad` wrote the data and the jobs.
  const data = JSON.parse((await lines.next()).value ?? "") as Organizations;
  for (let line = await lines.next(); !line.done; line = await lines.next())
    process.stdout.write(`${JSON.stringify(await runJob(JSON.parse(line.value) as Job))}\n`);

  async function runJob({
    port,
    work: workName,
    engine,
    ...span
  }: Job): Promise<Figures | { error: string }> {
    const known = [...(engine === "postgres" ? postgresWorks : works)(data), createAgain(data)];
    const work = known.find(({ name }) => name === workName);
    if (!work) return { error: `there is no work named ${workName}` };
    const streams = work.streams.map(({ connections, request }) => ({
      connections,
      next: (n: number) => textOf(request(n)),
    }));
    try {
      return figuresOf(await drive(port, streams, span)) ?? { error: `${workName} sends nothing` };
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

function textOf({ method, path, key, body }: BenchRequest): string {
  const head = `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${key}\r\n`;
  if (body === undefined) return `${head}\r\n`;
  return `${head}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

if (import.meta.main) await runJobs();
