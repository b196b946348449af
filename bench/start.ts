import type { Contestant } from "./contestants.ts";
import type { Org } from "./data.ts";
import { requests } from "./requests.ts";
import { startServer } from "./server.ts";

/** Milliseconds from a start to the first reply and to the first list. Throws if one of them fails. */
export async function timeStart(
  contestant: Contestant,
  database: string,
  org: Org,
): Promise<{ reply: number; list: number }> {
  const { path, key } = requests.list(org);
  const server = await startServer(contestant, database);
  try {
    const before = performance.now();
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { headers: { "x-api-key": key } });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`the status of the first list is ${response.status}`);
    return { reply: server.startedIn, list: server.startedIn + performance.now() - before };
  } finally {
    await server.stop();
  }
}
