import { readFileSync } from "node:fs";
import type { PostgresServer } from "../support/postgres-server.ts";
import { query } from "./postgres-ground.ts";

const pollMilliseconds = 10;
const maxMilliseconds = 20_000;

/** Kills every process of the server with SIGKILL. Resolves when all have ended. */
export async function killServer(server: PostgresServer): Promise<void> {
  const pid = server.pid();
  const processes = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number);
  await server.stop("SIGKILL");
  for (const child of processes) signal(child, "SIGKILL");
  // The memory of the server belongs to them as long as they run.
  while (processes.some((child) => signal(child, 0))) await Bun.sleep(pollMilliseconds);
}

/** Kills one process of the server that serves a copy; the server then ends all connections and recovers by itself. */
export async function killBackend(adminUrl: string): Promise<void> {
  const [row] = await query(
    adminUrl,
    "select pid from pg_stat_activity where application_name = 'accountd' order by random() limit 1",
  );
  signal(Number(row?.[0]), "SIGKILL");
  await accepted(adminUrl);
}

/** Resolves when the server accepts a connection and writes; starts it when it has ended. Throws after 20 s. */
export async function accepted(adminUrl: string, server?: PostgresServer): Promise<void> {
  const startedAt = performance.now();
  for (;;)
    try {
      await query(adminUrl, "create temporary table accepted ()");
      return;
    } catch (error) {
      if (performance.now() - startedAt > maxMilliseconds)
        throw new Error("the server accepts no connection", { cause: error });
      if (server && !server.isRunning()) await server.start();
      await Bun.sleep(pollMilliseconds);
    }
}

/** Whether the process exists. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch {
    return false;
  }
}
