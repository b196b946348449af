import { join } from "node:path";
import { SQL } from "bun";
import type { Mismatch } from "../check.ts";
import { checkRequests } from "../check-requests.ts";
import type { Contestant } from "../contestants.ts";
import { messageOf } from "../message.ts";
import { type CheckedReply, differencesOf, NewValues, replyOf } from "../replies.ts";
import { startServer } from "../server.ts";
import type { PostgresData } from "./data.ts";
import { withCopy } from "./database.ts";
import type { BenchServer } from "./server.ts";

/** Sends the same requests to every contestant, on a copy each, and compares the replies with those of `reference`. */
export async function checkOnPostgres(
  reference: Contestant,
  others: Contestant[],
  { server, data, folder }: { server: BenchServer; data: PostgresData; folder: string },
): Promise<Mismatch[]> {
  const expected = await repliesOf(reference);
  const mismatches: Mismatch[] = [];
  for (const contestant of others) {
    const differences = await repliesOf(contestant).then(
      (replies) => differencesOf(replies, expected),
      (error) => [messageOf(error)],
    );
    if (differences.length > 0) mismatches.push({ contestant: contestant.name, differences });
  }
  return mismatches;

  /** All replies in order, and last the counted events. */
  function repliesOf(contestant: Contestant): Promise<CheckedReply[]> {
    return withCopy(server, data.template, { slowFlush: false }, async (url) => {
      const running = await startServer(contestant, url, join(folder, `${contestant.name}.log`));
      const replies: CheckedReply[] = [];
      const newValues = new NewValues();
      try {
        for (const request of checkRequests(data)) {
          // Two changes are never in the same millisecond, so that their timestamps differ for all contestants.
          await Bun.sleep(2);
          replies.push(await replyOf(running.port, request, newValues));
        }
      } finally {
        await running.stop();
      }
      return [...replies, await countedIn(url)];
    });
  }
}

async function countedIn(url: string): Promise<CheckedReply> {
  const sql = new SQL({ url, max: 1 });
  try {
    const rows = await sql`select organization_id, account_id, day, event, count, users from usage_days
      order by 1, 2, 3, 4`.values();
    return { request: "usage_days", reply: JSON.stringify(rows) };
  } finally {
    await sql.close({ timeout: 0 });
  }
}
