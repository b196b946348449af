import { entryOf, type LogEntry, type RowChange } from "./model-log.ts";
import {
  type Body,
  columns,
  fold,
  invalid,
  iso,
  type Kind,
  kinds,
  paged,
  pick,
  Refusal,
  type Row,
  sorted,
} from "./model-rows.ts";
import { type Asked, refuse } from "./model-rules.ts";
import { scored, shown } from "./model-shown.ts";
import { accountOf, Usage } from "./model-usage.ts";

export type Answer = {
  status: number;
  code?: string;
  errors?: string[];
  data?: unknown;
  pagination?: unknown;
};

/** The expected replies, computed slowly and simply from a list of all rows. */
export class Model {
  now = 0;
  rows: Row[] = [];
  lastIds = { accounts: 0, contacts: 0, meetings: 0, requests: 0 };
  usage = new Usage();
  /** The changes of both organizations, each in the order of its commits, without those of health. */
  log: readonly LogEntry[] = [];
  #requestId: string | null = null;

  clone(): Model {
    const { now, rows, lastIds, usage } = structuredClone({
      now: this.now,
      rows: this.rows,
      lastIds: this.lastIds,
      usage: { ...this.usage },
    });
    const { log } = this;
    return Object.assign(new Model(), { now, rows, lastIds, log, usage: Object.assign(new Usage(), usage) });
  }

  /** Equal for models with equal replies. */
  get text(): string {
    const { events, seen } = this.usage;
    return JSON.stringify([this.lastIds, this.log, ...[this.rows, events, seen].map(textsOf)]);
  }

  /** Whether the request ids of this model's changes are a prefix of these. */
  isBefore(order: readonly (readonly string[])[]): boolean {
    return order.every((requestIds, org) =>
      this.log.filter((entry) => entry.org === org).every(({ requestId }, i) => requestId === requestIds[i]),
    );
  }

  /** The visible effect of the jobs: the events of deleted accounts are deleted. */
  runJobs(): void {
    const ids = new Set(this.rows.filter(({ kind }) => kind === "accounts").map(({ id }) => id));
    this.usage.events = this.usage.events.filter(
      ({ accountId }) => accountId === undefined || ids.has(accountId),
    );
  }

  answer(asked: Asked): Answer {
    this.#requestId = asked.requestId ?? null;
    try {
      refuse(asked, this.now);
      return { status: 200, ...this.#answer(asked) };
    } catch (error) {
      if (error instanceof Refusal) return error.answer;
      throw error;
    }
  }

  #answer(asked: Asked): Partial<Answer> {
    const { op, org, kind, id, body } = asked;
    const accounts = this.#of(org, "accounts");
    if (op === "list") return this.#list(asked);
    if (op === "put") return this.#put(asked);
    if (op === "events") return { data: this.usage.receive(asked, this.now, accounts) };
    if (op === "seen") return { data: this.usage.see(asked, this.now, accounts, this.#of(org, "contacts")) };
    if (op === "unmatched") return this.usage.unmatched(asked, this.now);
    if (op === "usage") return this.usage.days(this.#one(org, "accounts", id).id, this.now);
    if (op === "health") return { data: this.usage.activity(this.#one(org, "accounts", id)) };
    if (op === "changes") return { data: this.#changes(asked) };
    if (op === "history") return { data: this.#history(this.#one(org, "accounts", id)) };
    if (op === "scores") return {};
    if (op === "healths") return paged(accounts.map(scored), { pageSize: "100" });
    if (op === "create") {
      const account = kind === "accounts" ? {} : { accountId: this.#one(org, "accounts", id).id };
      return { status: 201, data: shown(this.#add(org, kind, { ...body, ...account }), "created") };
    }
    const row = asked.externalId === undefined ? this.#one(org, kind, id) : this.#named(asked);
    if (!row) throw new Refusal(404, "not_found");
    if (op === "patch") return { data: shown(this.#lay(row, body), "changed") };
    if (op === "get") return { data: { ...shown(row), ...(kind === "accounts" && this.#listsOf(row.id)) } };
    this.#remove(row);
    return { status: 204 };
  }

  #remove(row: Row): void {
    this.#record({ action: "deleted", before: row, after: null });
    this.rows = this.rows.filter((one) => one !== row);
    if (row.kind !== "accounts") return;
    // Its rows are deleted without changes; its events exist until a job deletes them.
    this.rows = this.rows.filter((one) => one.accountId !== row.id);
    this.usage.seen = this.usage.seen.filter(({ accountId }) => accountId !== row.id);
  }

  #record(change: RowChange): void {
    this.log = [...this.log, entryOf(change, this.now, this.#requestId)];
  }

  #changes({ org, query: { resource, action } }: Asked): Body[] {
    return this.log
      .filter((entry) => {
        const [noun, verb] = entry.type.split(".");
        return entry.org === org && (resource ?? noun) === noun && (action ?? verb) === verb;
      })
      .map(({ org: _, ...entry }) => entry);
  }

  #history({ id }: Row): Body[] {
    return this.log
      .filter(({ accountId }) => accountId === id)
      .map(({ org: _, ...entry }) => entry)
      .toReversed();
  }

  #of(org: number, kind: Kind): Row[] {
    return this.rows.filter((row) => row.org === org && row.kind === kind);
  }

  #one(org: number, kind: Kind, id: number | undefined): Row {
    const row = this.#of(org, kind).find((one) => one.id === id);
    if (!row) throw new Refusal(404, "not_found");
    return row;
  }

  #named({ org, kind, externalId }: Asked): Row | undefined {
    return this.#of(org, kind).find((row) => row.externalId === externalId);
  }

  #put(asked: Asked): Partial<Answer> {
    const { org, kind, externalId } = asked;
    const { accountId, accountExternalId, ...given } = asked.body;
    const isNamed = accountId !== undefined || accountExternalId !== undefined;
    const account = accountOf(this.#of(org, "accounts"), accountId, accountExternalId);
    if (isNamed && !account) throw new Refusal(404, "not_found");
    const whole = { ...given, externalId, ...(account && { accountId: account.id }) };
    const row = this.#named(asked);
    if (row) return { data: shown(this.#lay(row, whole), "changed") };
    const absent = kinds[kind].required.filter((name) => given[name] === undefined);
    if (kind !== "accounts" && !account) absent.push("accountId");
    if (absent.length > 0) throw invalid(...absent.map((name) => `/${name} required`));
    return { status: 201, data: shown(this.#add(org, kind, whole), "changed") };
  }

  #add(org: number, kind: Kind, { contactName, contactEmail, ...given }: Body): Row {
    const now = iso(this.now);
    const fresh = { externalId: null, ...kinds[kind].fresh(now), createdAt: now, updatedAt: now };
    const all = { org, kind, id: this.lastIds[kind] + 1, ...fresh, ...columns(given) };
    const row = kinds[kind].finish(all, given, now);
    this.#refuseConflict(row);
    this.lastIds[kind] += 1;
    this.rows.push(row);
    this.#record({ action: "created", before: null, after: row });
    const name = contactName ?? contactEmail;
    this.#attach(row);
    if (name !== undefined)
      this.#add(org, "contacts", { name, email: contactEmail ?? null, accountId: row.id });
    return row;
  }

  #lay(row: Row, given: Body): Row {
    const after = kinds[row.kind].finish({ ...row, ...columns(given) }, given, iso(this.now));
    if (Bun.deepEquals(after, row)) return row;
    this.#refuseConflict(after);
    after.updatedAt = iso(Math.max(this.now, Date.parse(row.updatedAt) + 1));
    this.rows = this.rows.map((one) => (one === row ? after : one));
    this.#record({ action: "updated", before: row, after });
    if (after.externalId !== row.externalId) this.#attach(after);
    return after;
  }

  #attach({ org, kind, id, externalId }: Row): void {
    if (kind === "accounts" && externalId !== null) this.usage.attach(org, id, externalId, this.now);
  }

  /** If both are in use, the error is that of the address. */
  #refuseConflict(row: Row): void {
    const others = this.#of(row.org, row.kind).filter(({ id }) => id !== row.id);
    const isSame = (one: Row) => one.accountId === row.accountId && fold(one.email) === fold(row.email);
    if (row.kind === "contacts" && row.email !== null && others.some(isSame))
      throw new Refusal(409, "contact_email_conflict", ["/email contact_email_conflict"]);
    if (row.externalId !== null && others.some((one) => one.externalId === row.externalId))
      throw new Refusal(409, "external_id_conflict", ["/externalId external_id_conflict"]);
  }

  #list({ org, kind, id, query }: Asked): Partial<Answer> {
    if (kind !== "accounts" && id !== undefined) this.#one(org, "accounts", id);
    const { search = "", sortBy = kinds[kind].sortBy[0] ?? "", sortOrder } = query;
    const asked = query.accountId === undefined ? undefined : Number(query.accountId);
    const wanted: Body = { ...pick(query, ["externalId", "status"]), accountId: id ?? asked };
    const found = this.#of(org, kind).filter(
      (row) =>
        Object.keys(wanted).every((name) => wanted[name] === undefined || wanted[name] === row[name]) &&
        (query.email === undefined || fold(row.email) === fold(query.email)) &&
        (search === "" || kinds[kind].searched.some((name) => fold(row[name]).includes(fold(search)))),
    );
    const isText = sortBy === "name" || sortBy === "title";
    const rows = sorted(found, (row) => (isText ? fold(row[sortBy]) : row[sortBy]), sortOrder);
    return paged(
      rows.map((row) => shown(row)),
      query,
    );
  }

  #listsOf(accountId: number): Body {
    const of = (kind: Kind) => this.rows.filter((row) => row.kind === kind && row.accountId === accountId);
    const latest = (kind: Kind, name: string) => sorted(of(kind), (row) => row[name], "desc");
    const begun = latest("meetings", "startAt").filter(({ startAt }) => String(startAt) <= iso(this.now));
    const request = ["id", "title", "status", "severity", "requestedAt"];
    return {
      contacts: of("contacts").map((row) => pick(row, ["id", "name", "email"])),
      meetings: begun.slice(0, 20).map((row) => pick(row, ["id", "title", "startAt", "endAt"])),
      requests: latest("requests", "requestedAt").map((row) => pick(row, request)),
    };
  }
}

function textsOf(some: readonly object[]): string[] {
  return some.map((one) => JSON.stringify(one)).sort();
}
