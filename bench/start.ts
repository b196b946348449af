import { asked } from "./asked.ts";
import { type Contestant, sentTo } from "./contestants.ts";
import type { Org } from "./data.ts";
import { startServer } from "./server.ts";

/** Milliseconds from a start to the first reply and to the first list. Throws if one of them fails. */
export async function timeStart(
  contestant: Contestant,
  database: string,
  org: Org,
): Promise<{ answer: number; list: number }> {
  const { path, header } = sentTo(contestant, asked.list(org));
  const server = await startServer(contestant, database);
  try {
    const before = performance.now();
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { headers: [header] });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`the first list is answered ${response.status}`);
    return { answer: server.startedIn, list: server.startedIn + performance.now() - before };
  } finally {
    await server.stop();
  }
}
