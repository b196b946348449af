import { withTimeLimit } from "../support/time-limit.ts";
import { type Connection, connectTo, type Reply, requestOf } from "./raw-connection.ts";
import { deletionMark, type WriteLedger } from "./write-ledger.ts";

/** The milliseconds after which a request without a reply is given up. */
const hopelessMilliseconds = 20_000;
const pauseMilliseconds = 10;
const eventsOfBatch = 3;
const accounts = "/api/v1/accounts";

export type WriterOptions = {
  name: string;
  key: string;
  /** The address of the server; undefined while it does not run. */
  address: () => string | undefined;
  ledger: WriteLedger;
  isOver: () => boolean;
  /** The milliseconds within which every request has a reply. */
  maxMilliseconds: () => number;
};
/** `mark` is the text that only this write stores, in `rowCount` rows. */
type Request = { method: string; path: string; body?: unknown; mark: string; rowCount: number };
/** A row below an account, by its path. Its name or title is set by each write. */
type SubResource = { kind: "contacts" | "meetings" | "requests"; id: number };
const kinds = ["contacts", "meetings", "requests"] as const;
const times = { startAt: "2026-01-01", endAt: "2026-01-01" };

/** Sends one request after another to a server: writes of several kinds, and reads. It repeats none. */
export class Writer {
  readonly #options: WriterOptions;
  #connection: Connection | undefined;
  #count = 0;
  #accountId = 0;
  readonly #subResources: SubResource[] = [];
  /** The time of `performance.now()` of the last acknowledged write. */
  acknowledgedAt = 0;
  slowestMilliseconds = 0;
  readonly refusedCodes: Record<string, number> = {};

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  async run(): Promise<void> {
    while (!this.#options.isOver()) {
      const url = this.#options.address();
      this.#connection ??= url === undefined ? undefined : await connectTo(url).catch(() => undefined);
      if (!this.#connection || !(await this.#sendNext(this.#connection))) await Bun.sleep(pauseMilliseconds);
    }
    this.#close();
  }

  #close(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }

  /** Returns whether the reply is a success. */
  async #sendNext(connection: Connection): Promise<boolean> {
    const { ledger, key, name, maxMilliseconds } = this.#options;
    const { method, path, body, mark, rowCount } = this.#next(`${name}-${++this.#count}`);
    if (rowCount > 0) ledger.begin(mark, rowCount);
    const startedAt = performance.now();
    const reply = connection.send(requestOf(key, method, path, body));
    const answer = await withTimeLimit(hopelessMilliseconds, reply, "nothing" as const);
    const took = performance.now() - startedAt;
    this.slowestMilliseconds = Math.max(this.slowestMilliseconds, took);
    if (took > maxMilliseconds())
      ledger.faults.push(`${method} ${path} was answered after ${Math.round(took)} ms`);
    if (answer === "nothing" || "cut" in answer) {
      this.#close();
      return false;
    }
    const { status, text } = answer;
    if (status === 200 || status === 201 || status === 204) {
      if (rowCount > 0) {
        ledger.end(mark, "acknowledged");
        this.acknowledgedAt = performance.now();
      }
      if (status === 201) this.#created(path, idOf(text));
      return true;
    }
    const isRefused = isRefusal(answer);
    if (rowCount > 0 && isRefused) ledger.end(mark, "refused");
    if (!isRefused && !(rowCount > 0 && isUnknown(answer)))
      ledger.faults.push(`${method} ${path} was answered ${status} ${text}`);
    const code = /"code":"(\w+)"/.exec(text)?.[1] ?? String(status);
    this.refusedCodes[code] = (this.refusedCodes[code] ?? 0) + 1;
    return status < 500;
  }

  #created(path: string, id: number): void {
    const kind = kinds.find((one) => path.endsWith(one));
    if (kind) this.#subResources.push({ kind, id });
    else this.#accountId = id;
  }

  #next(mark: string): Request {
    const account = `${accounts}/${this.#accountId}`;
    const choice = this.#accountId === 0 ? 0 : Math.random();
    // Without a unique text, so that only the service prevents a second row.
    if (choice < 0.25)
      return { method: "POST", path: accounts, body: { name: mark, contactName: mark }, mark, rowCount: 2 };
    if (choice < 0.45) return { method: "PATCH", path: account, body: { name: mark }, mark, rowCount: 1 };
    // One account of the organization takes it; the others violate the unique constraint.
    if (choice < 0.5)
      return { method: "PATCH", path: account, body: { name: mark, externalId: "taken" }, mark, rowCount: 1 };
    if (choice < 0.7) return this.#nextOfSubResource(mark, account);
    if (choice < 0.8) return { method: "GET", path: account, mark, rowCount: 0 };
    if (choice < 0.85) return { method: "GET", path: `${accounts}?pageSize=3`, mark, rowCount: 0 };
    const event = { event: mark, externalId: "pending", timestamp: new Date().toISOString() };
    const events = Array.from({ length: eventsOfBatch }, () => event);
    return { method: "POST", path: "/api/v1/events", body: { events }, mark, rowCount: eventsOfBatch };
  }

  /** Creates a row below the account, or changes or deletes the last one. */
  #nextOfSubResource(mark: string, account: string): Request {
    const choice = this.#subResources.length === 0 ? 0 : Math.random();
    if (choice < 0.5) {
      const kind = kinds[this.#count % kinds.length] ?? "contacts";
      const body = { ...named(kind, mark), ...(kind === "meetings" && times) };
      return { method: "POST", path: `${account}/${kind}`, body, mark, rowCount: 1 };
    }
    const isDelete = choice > 0.8;
    const last = isDelete ? this.#subResources.pop() : this.#subResources.at(-1);
    const { kind, id } = last ?? { kind: "contacts", id: 0 };
    const path = `/api/v1/${kind}/${id}`;
    if (isDelete) return { method: "DELETE", path, mark: deletionMark(kind.slice(0, -1), id), rowCount: 1 };
    return { method: "PATCH", path, body: named(kind, mark), mark, rowCount: 1 };
  }
}

function named(kind: SubResource["kind"], mark: string): object {
  return kind === "contacts" ? { name: mark } : { title: mark };
}

/** Whether the reply says that nothing was stored: a conflict, or a 503 with Retry-After. */
function isRefusal({ status, text, head }: Reply): boolean {
  if (status === 409) return /"code":"external_id_conflict"/.test(text);
  return (
    status === 503 &&
    /"code":"(?:store_busy|store_failed|query_timeout)"/.test(text) &&
    /\r\nretry-after: \d+/i.test(head)
  );
}

function isUnknown({ status, text, head }: Reply): boolean {
  return status === 503 && /"code":"outcome_unknown"/.test(text) && !/\r\nretry-after:/i.test(head);
}

function idOf(text: string): number {
  // Safe: the reply is an account.
  return (JSON.parse(text) as { data: { id: number } }).data.id;
}
