import { setTimeout as sleep } from "node:timers/promises";
import { yieldToEventLoop } from "../../event-loop.ts";
import { pollMilliseconds } from "../../timer.ts";
import type { Session } from "../connections/session.ts";

const listenerPrefix = "accountd listener ";
/** The pause between two notifications. */
const pauseMilliseconds = 20;
/** A payload has fewer than 8,000 bytes. */
const maxIdCount = 400;

/** SQL for the name of the channel: a server can have several schemas of accountd in one database. */
export const channelName = "'accountd_' || md5(current_schema())";

/**
 * Notifies the processes that listen, if there is one with another name than $2. The commit needs no flush: the writes
 * are durable.
 */
const notifyListeners = `select pg_notify(${channelName}, $1), set_config('synchronous_commit', 'off', true)
where exists (select from pg_stat_activity
  where datname = current_database() and application_name like '${listenerPrefix}%' and application_name <> $2)`;

/** A notification: the name of the sender's own listener, and the organizations. */
export function readNotification(payload: string): { sender: string; organizationIds: number[] } {
  const [sender = "", ids = ""] = payload.split(":", 2);
  return { sender, organizationIds: ids === "" ? [] : ids.split(",").map(Number) };
}

/**
 * Notifies other processes of the organizations that this one has written to, after the commits: transactions with a
 * notification commit one after another. A notification that fails is not repeated.
 */
export class WriteNotifier {
  /** The name of the connection on which this process listens. */
  readonly listenerName = listenerPrefix + crypto.randomUUID().slice(0, 8);
  readonly #session: Session;
  #ids = new Set<number>();
  #sending: Promise<void> | undefined;
  #isClosed = false;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Called after a commit. */
  add(organizationId: number): void {
    this.#ids.add(organizationId);
    this.#sending ??= this.#sendAll();
  }

  /** Notifies the listener of this process, too. Throws EngineBusy. */
  async probe(): Promise<void> {
    await this.#send([], "");
  }

  close(): void {
    this.#isClosed = true;
  }

  async #sendAll(): Promise<void> {
    // The other writes of a batch are added in this turn.
    await yieldToEventLoop();
    while (this.#ids.size > 0 && !this.#isClosed) {
      const ids = [...this.#ids];
      this.#ids = new Set(ids.splice(maxIdCount));
      const isHeard = await this.#send(ids, this.listenerName).catch(() => false);
      // A new listener is not notified for at most this time.
      await sleep(isHeard ? pauseMilliseconds : pollMilliseconds, undefined, { ref: false });
    }
    this.#sending = undefined;
  }

  /** Resolves with whether a listener with another name than `except` was notified. */
  async #send(ids: readonly number[], except: string): Promise<boolean> {
    await this.#session.connect();
    const rows = await this.#session.query(notifyListeners, [`${this.listenerName}:${ids}`, except]);
    return rows.length > 0;
  }
}
