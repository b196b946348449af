import { rmSync } from "node:fs";
import { folder, type Running } from "../binary/binary.ts";
import type { Program } from "../support/proof.ts";
import { database } from "./database-kept.ts";
import { connectTo, requestOf } from "./raw-connection.ts";

export type Restartable = Awaited<ReturnType<typeof restartable>>;

/** A new database with a key, on which the program can be started repeatedly, with options of `serve`. */
export async function restartable(program: Program, options: readonly string[] = []) {
  const cwd = folder();
  const { file, key, serve, check } = await database(program, cwd, options);
  let server: Running | undefined;

  const running = (): Running => {
    if (!server) throw new Error("the program was not started");
    return server;
  };
  return {
    key,
    database: file,
    url: () => running().url,
    running,

    /** Starts the program; resolves with the milliseconds to its first reply, and the number of accounts in it. */
    async start(): Promise<{ took: number; accounts: number }> {
      const begun = performance.now();
      server = await serve();
      const accounts = await countAccounts(server.url, key);
      return { took: performance.now() - begun, accounts };
    },

    async kill(): Promise<void> {
      if (!running().isRunning()) throw new Error(`the program ended by itself: ${running().stderr()}`);
      await running().stop("SIGKILL");
    },

    /** Stops the server, and removes the folder. Resolves with the faults that accountd check finds in the file. */
    async end(): Promise<string[]> {
      if (server?.isRunning()) await server.stop();
      const faults = await check().then(
        () => [],
        (error: Error) => [error.message],
      );
      rmSync(cwd, { recursive: true, force: true });
      return faults;
    },
  };
}

/** The maximum milliseconds until the work is far enough for a kill. */
const patience = 30_000;

/**
 * Kills the program at a random time after `isEnough`. The work ends when its connections close. Resolves with the
 * faults that the work found.
 */
export async function killAmid(
  database: Restartable,
  work: readonly Promise<string[]>[],
  isEnough: () => boolean,
): Promise<string[]> {
  const deadline = performance.now() + patience;
  let ended = 0;
  const all = work.map((one) => one.finally(() => (ended += 1)));
  while (!isEnough() && ended === 0) {
    if (performance.now() > deadline) throw new Error("the work was not answered in time");
    await Bun.sleep(1);
  }
  await database.kill();
  return (await Promise.all(all)).flat();
}

async function countAccounts(url: string, key: string): Promise<number> {
  const connection = await connectTo(url);
  const answer = await connection.send(requestOf(key, "GET", "/api/v1/accounts?pageSize=1"));
  connection.close();
  if ("cut" in answer || answer.status !== 200)
    throw new Error(`the first answer is ${JSON.stringify(answer)}`);
  // Safe: the reply is a page of a list.
  const { pagination } = JSON.parse(answer.text) as { pagination: { total: number } };
  return pagination.total;
}
