import { replyTo, target } from "./model-answers.ts";
import { bodyOf, methodOf, pathOf } from "./model-paths.ts";
import { Refusal } from "./model-rows.ts";
import type { Asked } from "./model-rules.ts";
import type { Answer, Model } from "./model-state.ts";

/** The reply to a request with an Idempotency-Key. */
export type StoredReply = { org: number; key: string; request: string; answer: Answer; at: number };

const day = 86_400_000;

/** Whether the reply to a write at this time is still stored. */
export function isReplayed(at: number, now: number): boolean {
  return at > now - day;
}

/** The reply to a write: the stored one of its Idempotency-Key, or else that of the write under its preconditions. */
export function writeOnce(model: Model, asked: Asked): Answer {
  if (asked.key === undefined) return writeIf(model, asked);
  const { org } = asked;
  const key = asked.key.replaceAll('"', "");
  const request = JSON.stringify([methodOf(asked.op), pathOf(asked), bodyOf(asked)]);
  const isSame = (reply: StoredReply) => reply.org === org && reply.key === key;
  const stored = model.replies.find((reply) => isSame(reply) && isReplayed(reply.at, model.now));
  if (stored && stored.request !== request) throw new Refusal(422, "idempotency_key_reused");
  if (stored) return { ...stored.answer, isReplayed: true };
  const answer = writeIf(model, asked);
  const others = model.replies.filter((reply) => !isSame(reply));
  model.replies = [...others, { org, key, request, answer, at: model.now }];
  return answer;
}

function writeIf(model: Model, asked: Asked): Answer {
  const { op, ifMatch, ifNoneMatch } = asked;
  if (ifMatch === undefined && ifNoneMatch === undefined) return replyTo(model, asked);
  const row = target(model, asked);
  const failed = new Refusal(412, "precondition_failed");
  if (row && ifNoneMatch !== undefined) throw failed;
  if (!row && ifMatch !== undefined && op === "put") throw failed;
  if (row && ifMatch !== undefined && !isMatch(ifMatch, model.versionOf(row), row.id)) throw failed;
  return replyTo(model, asked);
}

/** Whether one of the entity tags has the version and the id. */
function isMatch(tags: string, version: number, id: number): boolean {
  const tagOfRow = new RegExp(`^(?:W/)?"${version}\\.[0-9a-z]{13}${id}"$`);
  return tags === "*" || tags.split(", ").some((tag) => tagOfRow.test(tag));
}
