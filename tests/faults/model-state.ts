import { replyTo } from "./model-answers.ts";
import { refuseTypes } from "./model-attributes.ts";
import { isReplayed, type StoredReply, writeOnce } from "./model-idempotency.ts";
import { type Actor, entryOf, type LogEntry, nouns, type RowChange } from "./model-log.ts";
import { isRead } from "./model-paths.ts";
import {
  type Body,
  columns,
  fold,
  iso,
  type Kind,
  kinds,
  Refusal,
  type Row,
  withDefaultName,
} from "./model-rows.ts";
import type { Asked } from "./model-rules.ts";
import { Usage } from "./model-usage.ts";

export type Answer = {
  status: number;
  code?: string;
  errors?: string[];
  data?: unknown;
  pagination?: unknown;
  /** The version of the row, from the entity tag. */
  version?: number | undefined;
  isReplayed?: boolean;
};

/** The expected replies, computed slowly and simply from a list of all rows. */
export class Model {
  now = 0;
  rows: Row[] = [];
  lastIds = { accounts: 0, contacts: 0, meetings: 0, requests: 0 };
  usage = new Usage();
  /** The changes of both organizations, each in the order of its commits, without those of health. */
  log: readonly LogEntry[] = [];
  /** The replies to requests with an Idempotency-Key. */
  replies: readonly StoredReply[] = [];
  /** The key of each organization. */
  keys: readonly Actor[] = [];
  /** The ids of rows by request and kind, if they are not consecutive. */
  createdIds: ReadonlyMap<string, readonly number[]> | undefined;
  requestId: string | null = null;
  /** The key of the current request. */
  caller: Actor = { type: "key", id: 0, name: "" };

  clone(): Model {
    const { rows, lastIds, usage } = this;
    const copy = structuredClone({ rows, lastIds, usage: { ...usage } });
    return Object.assign(new Model(), this, { ...copy, usage: Object.assign(new Usage(), copy.usage) });
  }

  /** Equal for models with equal replies. */
  get text(): string {
    const { lastIds, log, replies } = this;
    return JSON.stringify([lastIds, log, replies, ...[this.rows, this.usage.events].map(textsOf)]);
  }

  /** Whether the request ids of this model's changes are a prefix of these. */
  isBefore(order: readonly (readonly string[])[]): boolean {
    return order.every((requestIds, org) =>
      this.log.filter((entry) => entry.org === org).every(({ requestId }, i) => requestId === requestIds[i]),
    );
  }

  /** The visible effect of the jobs: the events of deleted accounts, and old replies, are deleted. */
  runJobs(): void {
    const ids = new Set(this.rows.filter(({ kind }) => kind === "accounts").map(({ id }) => id));
    this.usage.events = this.usage.events.filter(
      ({ accountId }) => accountId === undefined || ids.has(accountId),
    );
    this.replies = this.replies.filter(({ at }) => isReplayed(at, this.now));
  }

  answer(asked: Asked): Answer {
    try {
      this.caller = this.keys[asked.org] ?? this.caller;
      this.requestId = asked.requestId ?? null;
      if (isRead(asked.op)) return replyTo(this, asked);
      return this.attempt((trial) => writeOnce(trial, asked), asked.query.dryRun !== undefined);
    } catch (error) {
      if (error instanceof Refusal) return error.answer;
      throw error;
    }
  }

  /** Runs a change that has no effect when it throws. In a dry run it has none; PostgreSQL has used its ids: no data. */
  attempt(run: (trial: Model) => Answer, isDryRun = false): Answer {
    const trial = this.clone();
    const answer = run(trial);
    if (isDryRun) return { ...answer, data: answer.isReplayed ? answer.data : undefined };
    Object.assign(this, trial);
    return answer;
  }

  of(org: number, kind: Kind): Row[] {
    return this.rows.filter((row) => row.org === org && row.kind === kind);
  }

  /** The number of changes of a row. */
  versionOf({ kind, id }: Row): number {
    return this.log.filter(({ type, resourceId }) => type.startsWith(`${nouns[kind]}.`) && resourceId === id)
      .length;
  }

  remove(row: Row): void {
    this.#record({ action: "deleted", before: row, after: null });
    this.rows = this.rows.filter((one) => one !== row);
    if (row.kind !== "accounts") return;
    // Its rows are deleted without changes; its events exist until a job deletes them.
    this.rows = this.rows.filter((one) => one.accountId !== row.id);
  }

  add(org: number, kind: Kind, { contactName, contactEmail, ...given }: Body): Row {
    const now = iso(this.now);
    const fresh = { externalId: null, ...kinds[kind].fresh(now), createdAt: now, updatedAt: now };
    const all = { org, kind, id: this.newId(org, kind), ...fresh, ...columns(withDefaultName(kind, given)) };
    const row = kinds[kind].finish(all, given, now);
    this.#refuseConflict(row);
    this.lastIds[kind] = Math.max(this.lastIds[kind], row.id);
    this.rows.push(row);
    this.#record({ action: "created", before: null, after: row });
    const name = contactName ?? contactEmail;
    this.#attach(row);
    if (name) this.add(org, "contacts", { name, email: contactEmail ?? null, accountId: row.id });
    return row;
  }

  /** The next id, or the one that the service took: the ids of a kind increase in each organization. */
  newId(org: number, kind: Kind): number {
    const ids = this.createdIds?.get(`${this.requestId} ${kind}`);
    if (!this.createdIds) return this.lastIds[kind] + 1;
    const type = `${nouns[kind]}.created`;
    const created = this.log.filter((entry) => entry.org === org && entry.type === type);
    const id = ids?.[created.filter(({ requestId }) => requestId === this.requestId).length];
    if (id === undefined) return this.lastIds[kind] + 1;
    if (id <= (created.at(-1)?.resourceId ?? 0)) throw new Refusal(500, "id_not_after_last");
    return id;
  }

  update(row: Row, given: Body): Row {
    const after = kinds[row.kind].finish({ ...row, ...columns(given, row) }, given, iso(this.now));
    if (Bun.deepEquals(after, row)) return row;
    this.#refuseConflict(after, row);
    after.updatedAt = iso(Math.max(this.now, Date.parse(row.updatedAt) + 1));
    this.rows = this.rows.map((one) => (one === row ? after : one));
    this.#record({ action: "updated", before: row, after });
    if (after.externalId !== row.externalId) this.#attach(after);
    return after;
  }

  #record(change: RowChange): void {
    const { now, requestId, caller } = this;
    this.log = [...this.log, entryOf(change, { now, requestId, actor: caller })];
  }

  #attach({ org, kind, id, externalId }: Row): void {
    if (kind === "accounts" && externalId !== null) this.usage.attach(org, id, externalId, this.now);
  }

  /** If both are in use, the error is that of the address. */
  #refuseConflict(row: Row, before?: Row): void {
    const others = this.of(row.org, row.kind).filter(({ id }) => id !== row.id);
    const isSame = (one: Row) => one.accountId === row.accountId && fold(one.email) === fold(row.email);
    if (row.kind === "contacts" && row.email !== null && others.some(isSame))
      throw new Refusal(409, "contact_email_conflict", ["/email contact_email_conflict"]);
    if (row.externalId !== null && others.some((one) => one.externalId === row.externalId))
      throw new Refusal(409, "external_id_conflict", ["/externalId external_id_conflict"]);
    refuseTypes(row, before, others);
  }
}

function textsOf(some: readonly object[]): string[] {
  return some.map((one) => JSON.stringify(one)).sort();
}
