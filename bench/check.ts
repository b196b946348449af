import { Database } from "bun:sqlite";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type CheckRequest, checkRequests } from "./check-requests.ts";
import { contestants as all, type Contestant } from "./contestants.ts";
import { cache, type Data, makeData } from "./data.ts";
import { type CheckedReply, differencesOf, NewValues, replyOf } from "./replies.ts";
import { copyDatabase, endServers, removeDatabase, startServer } from "./server.ts";

/** A contestant whose replies differ from accountd's, with a line for each difference. */
export type Mismatch = { contestant: string; differences: string[] };

/** Sends the same requests to every contestant, on a fresh copy each, and compares the replies with accountd's. */
export async function check(contestants: Contestant[], data: Data): Promise<Mismatch[]> {
  const reference = all.find(({ name }) => name === "accountd");
  if (!reference) throw new Error("there is no accountd to compare with");
  const requests = checkRequests(data);
  const expected = await repliesOf(reference, data, requests);
  const differencesOfOne = async (contestant: Contestant) => {
    const isFloor = contestant.name === "floor";
    // The floor does not validate input, so it gets no invalid requests.
    const sent = isFloor ? requests.filter(({ isInvalid }) => !isInvalid) : requests;
    const wanted = isFloor ? expected.filter((_, i) => !requests[i]?.isInvalid) : expected;
    return differencesOf(await repliesOf(contestant, data, sent), wanted, isFloor ? uncounted : undefined);
  };
  const mismatches: Mismatch[] = [];
  for (const contestant of contestants) {
    if (contestant.name === reference.name) continue;
    const differences = await differencesOfOne(contestant).catch((error: Error) => [error.message]);
    if (differences.length > 0) mismatches.push({ contestant: contestant.name, differences });
  }
  return mismatches;
}

/** All replies in order, and last the counted events from the database. */
async function repliesOf(
  contestant: Contestant,
  data: Data,
  requests: CheckRequest[],
): Promise<CheckedReply[]> {
  const newValues = new NewValues();
  const folder = join(cache, `check-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  const copy = join(folder, `${contestant.name}.db`);
  try {
    await copyDatabase(data[contestant.data], copy);
    const server = await startServer(contestant, copy);
    const replies: CheckedReply[] = [];
    try {
      for (const request of requests) {
        // Two changes are never in the same millisecond, so that their timestamps differ for all contestants.
        await Bun.sleep(2);
        replies.push(await replyOf(server.port, request, newValues));
      }
    } finally {
      await server.stop();
    }
    return [...replies, countedIn(copy)];
  } finally {
    removeDatabase(copy);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The floor has no totals, and so no hasNextPage. */
function uncounted(reply: string): string {
  return reply.replace(/"total":\d+,"totalPages":\d+,"hasNextPage":\w+/, "");
}

function countedIn(file: string): CheckedReply {
  const database = new Database(file);
  const rows = database.query(
    "SELECT organization_id, account_id, day, event, count, users FROM usage_days ORDER BY 1, 2, 3, 4",
  );
  const reply = JSON.stringify(rows.values());
  database.close();
  return { request: "usage_days", reply };
}

if (import.meta.main) {
  try {
    const data = await makeData(true, console.error);
    const present: Contestant[] = [];
    for (const contestant of all) {
      const missing = await contestant.missing();
      if (missing === undefined) present.push(contestant);
      else console.log(`${contestant.name}: ${missing}`);
    }
    const mismatches = await check(present, data);
    for (const { contestant, differences } of mismatches) console.log(contestant, differences.join("\n"));
    const same = present.length - mismatches.length;
    console.log(`${same} of ${present.length} reply alike, ${checkRequests(data).length} requests each`);
    if (mismatches.length > 0) process.exitCode = 1;
  } finally {
    endServers();
  }
}
