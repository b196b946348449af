import { answerOf, type Reply } from "./model-replies.ts";
import type { Body } from "./model-rows.ts";
import type { Answer } from "./model-state.ts";

type Query = Record<string, string>;
type Send = (path: string, query: Query) => Promise<Reply>;
type Change = Body & { sequence: number; type: string; accountId: number };

const healthChanged = "account.health_changed";
/** A limit that no feed of the model reaches. */
const maxPages = 10_000;

/** All changes of a feed, read in pages, without those of health. */
export async function readFeed(send: Send, query: Query): Promise<Answer> {
  const changes: Change[] = [];
  let after = 0;
  for (let page = 0; page < maxPages; page += 1) {
    const reply = await send("changes", { ...query, ...(after > 0 && { after: String(after) }) });
    if (reply.status !== 200) return answerOf("changes", reply);
    // Safe: the reply of a feed.
    const { data, pagination } = reply.body as { data: Change[]; pagination: Record<string, number> };
    const { limit = 0, nextAfter = 0, hasNextPage } = pagination;
    changes.push(...data);
    const isOrdered = data.every(({ sequence }, i) => sequence > (data[i - 1]?.sequence ?? after));
    if (data.length > limit || !isOrdered || nextAfter < (data.at(-1)?.sequence ?? after))
      throw new Error(`after ${after} there is a page ${JSON.stringify(reply.body)}`);
    if (!hasNextPage) break;
    if (nextAfter <= after) throw new Error(`after ${after} the next page is after ${nextAfter}`);
    after = nextAfter;
  }
  const isWhole = query.resource === undefined && query.action === undefined;
  const gap = changes.findIndex(({ sequence }, i) => isWhole && sequence !== i + 1);
  if (gap !== -1) throw new Error(`change ${gap + 1} has the sequence number ${changes[gap]?.sequence}`);
  return { status: 200, data: recorded(changes) };
}

/**
 * The changes of an account, newest first, without those of health. The page that is asked for has to be a part of
 * all of them, which may have become more.
 */
export async function readHistory(send: Send, id: number, query: Query): Promise<Answer> {
  const path = `accounts/${id}/history`;
  const reply = await send(path, query);
  if (reply.status !== 200) return answerOf("history", reply);
  const all: Change[] = [];
  let pagination: Record<string, number | boolean> = { hasNextPage: true };
  for (let page = 1; pagination.hasNextPage; page += 1) {
    const next = await send(path, { page: String(page), pageSize: "100" });
    if (next.status !== 200) return answerOf("history", next);
    // Safe: the reply of a list.
    const body = next.body as { data: Change[]; pagination: typeof pagination };
    all.push(...body.data);
    pagination = body.pagination;
  }
  const one = reply.body as { data: Change[]; pagination: Record<string, number> };
  const { page = 0, pageSize = 0, total = 0 } = one.pagination;
  const start = all.length - total + (page - 1) * pageSize;
  if (!Bun.deepEquals(one.data, all.slice(start, Math.min(start + pageSize, all.length))))
    throw new Error(`page ${page} of ${path} is ${JSON.stringify(one)}, and all is ${JSON.stringify(all)}`);
  // A row that moved to another account is in the history of both.
  const isOfAccount = ({ accountId, before }: Change) =>
    accountId === id || (before as Body | null)?.accountId === id;
  if (!all.every(isOfAccount)) throw new Error(`${path} has another account's changes`);
  return { status: 200, data: recorded(all) };
}

/** The changes of requests, in the format of the model. */
function recorded(changes: readonly Change[]): Body[] {
  return changes.flatMap(({ sequence: _, ...change }) => {
    if (change.type !== healthChanged) return [change];
    if (!Bun.deepEquals(change.actor, { type: "job" }))
      throw new Error(`a change of health is by ${JSON.stringify(change.actor)}`);
    return [];
  });
}
