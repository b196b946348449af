import { nouns } from "./model-log.ts";
import { type Body, fold } from "./model-rows.ts";
import type { Asked } from "./model-rules.ts";
import type { Model } from "./model-state.ts";

const isRecord = (value: unknown): value is Body => typeof value === "object" && value !== null;

/** Erases a person. Returns the numbers of deleted contacts, and of changes and replies that lost their values. */
export function erase(model: Model, { org, body }: Asked): Body {
  const hasAddress = (value: unknown) => body.email !== undefined && fold(value) === fold(body.email);
  const contacts = model.of(org, "contacts");
  const found = contacts.filter(({ email }) => hasAddress(email)).sort((one, other) => one.id - other.id);
  const recorded = contactChanges(model, org)
    .filter(({ before, after }) => hasAddress(before?.email) || hasAddress(after?.email))
    .map(({ resourceId }) => resourceId);
  const deleted = recorded.filter((id) => !contacts.some((row) => row.id === id));
  const ids = new Set([...found.map(({ id }) => id), ...deleted]);
  model.usage.erase(org, (userId) => userId === body.userId || hasAddress(userId));
  const idempotentReplies = eraseReplies(model, org, (value) => isContact(value, ids, hasAddress));
  // The contact that was found last is deleted first.
  for (const row of found.toReversed()) model.remove(row);
  const changes = eraseChanges(model, org, ids, hasAddress);
  return { contacts: found.length, changes, idempotentReplies };
}

function contactChanges({ log }: Model, org: number) {
  return log.filter((entry) => entry.org === org && entry.type.startsWith(`${nouns.contacts}.`));
}

function withoutPerson(members: Body): Body {
  const erased = { name: "erased", email: null, externalId: null, attributes: {} };
  return { ...members, ...Object.fromEntries(Object.entries(erased).filter(([name]) => name in members)) };
}

function isContact(
  members: Body,
  ids: ReadonlySet<number>,
  hasAddress: (value: unknown) => boolean,
): boolean {
  if (typeof members.id !== "number" || members.email === undefined) return false;
  return hasAddress(members.email) || ids.has(members.id);
}

/** Only replies to writes whose body has a contact with its address change. */
function eraseReplies(model: Model, org: number, isErased: (members: Body) => boolean): number {
  const eraseIn = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(eraseIn);
    if (!isRecord(value)) return value;
    if (isErased(value)) return withoutPerson(value);
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, eraseIn(member)]));
  };
  let count = 0;
  model.replies = model.replies.map((reply) => {
    if (reply.org !== org) return reply;
    const data = eraseIn(reply.answer.data);
    if (Bun.deepEquals(data, reply.answer.data)) return reply;
    count += 1;
    return { ...reply, answer: { ...reply.answer, data } };
  });
  return count;
}

function eraseChanges(
  model: Model,
  org: number,
  ids: ReadonlySet<number>,
  hasAddress: (value: unknown) => boolean,
): number {
  const entries = new Set(contactChanges(model, org));
  let count = 0;
  const eraseSide = (side: Body | null, isWhole: boolean): Body | null => {
    if (side === null) return null;
    if (isWhole) return withoutPerson(side);
    return hasAddress(side.email) ? { ...side, email: null } : side;
  };
  model.log = model.log.map((entry) => {
    if (!entries.has(entry) || entry.isErased) return entry;
    const isWhole = ids.has(entry.resourceId);
    if (!isWhole && !hasAddress(entry.before?.email) && !hasAddress(entry.after?.email)) return entry;
    count += 1;
    const [before, after] = [eraseSide(entry.before, isWhole), eraseSide(entry.after, isWhole)];
    return { ...entry, before, after, ...(isWhole && { isErased: true }) };
  });
  return count;
}
