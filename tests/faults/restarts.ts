import { rmSync } from "node:fs";
import { join } from "node:path";
import { folder, output, type Running, start } from "../binary/binary.ts";
import type { Program } from "../support/proof.ts";
import { connectTo, requestOf } from "./raw-connection.ts";

export type Restartable = Awaited<ReturnType<typeof restartable>>;

/** A new database with a key, and a program that can be started on it again and again. */
export async function restartable(program: Program) {
  const cwd = folder();
  const settings = { cwd, program };
  await output(["organizations", "create", "Acme"], settings);
  const key = await output(["keys", "create", "--organization", "Acme"], settings);
  let server: Running | undefined;

  const running = (): Running => {
    if (!server) throw new Error("the program was not started");
    return server;
  };
  return {
    key,
    database: join(cwd, "data/accountd.db"),
    url: () => running().url,
    running,

    /** Starts the program; resolves with the milliseconds to its first answer, and how many accounts that counts. */
    async start(): Promise<{ took: number; accounts: number }> {
      const begun = performance.now();
      server = await start(["serve", "--port", "0"], settings);
      const accounts = await countAccounts(server.url, key);
      return { took: performance.now() - begun, accounts };
    },

    async kill(): Promise<void> {
      if (!running().isRunning()) throw new Error(`the program ended by itself: ${running().stderr()}`);
      await running().stop("SIGKILL");
    },

    /** Ends what runs, has the file read through by the program, and removes all of it. */
    async end(): Promise<void> {
      if (server?.isRunning()) await server.stop();
      await output(["check"], settings);
      rmSync(cwd, { recursive: true, force: true });
    },
  };
}

async function countAccounts(url: string, key: string): Promise<number> {
  const connection = await connectTo(url);
  const answer = await connection.send(requestOf(key, "GET", "/api/v1/accounts?pageSize=1"));
  connection.close();
  if ("cut" in answer || answer.status !== 200)
    throw new Error(`the first answer is ${JSON.stringify(answer)}`);
  // Safe: it is a page of a list.
  const { pagination } = JSON.parse(answer.text) as { pagination: { total: number } };
  return pagination.total;
}
