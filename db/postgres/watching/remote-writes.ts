import type { SQL } from "bun";
import type { WriteListener } from "../../engine.ts";
import { fastPollMilliseconds, pollMilliseconds } from "../../timer.ts";
import { closePool } from "../connections/hosts.ts";
import type { Session } from "../connections/session.ts";
import { openPool, type SessionOptions } from "../connections/session-options.ts";
import { tlsOptionsOf } from "../connections/tls.ts";
import { channelName, readNotification, type WriteNotifier } from "./notifier.ts";
import { WrittenOrganizations } from "./written-organizations.ts";

/** The pause before the process listens again after the connection was lost or refused. */
const listenPauseMilliseconds = 5_000;
/** How often the process notifies itself, and listens again when that notification has not arrived. */
const probeMilliseconds = 30_000;

type RemoteWritesOptions = {
  /** The session for the polls. */
  session: Session;
  /** The options of the connection that listens. */
  sessionOptions: SessionOptions;
  notifier: WriteNotifier;
  report: WriteListener;
  /** Whether a report is needed within a second. */
  isUrgent: () => boolean;
};

/**
 * Reports the organizations to which other processes write, from its construction until `close`: by notifications, and
 * by polls. The first poll reports all organizations, because a write may have been committed before it.
 */
export class RemoteWrites {
  readonly #options: RemoteWritesOptions;
  readonly #written: WrittenOrganizations;
  #timer: Timer | undefined;
  #isClosed = false;
  #pool: SQL | undefined;
  /** The host of the connection that listens. */
  #url = "";
  #probedAt = Number.NEGATIVE_INFINITY;
  /** Until then, other processes may not notify this one. */
  #unheardUntil = 0;
  /** Whether the last probe has arrived on a connection that is still open. */
  #isListening = false;

  constructor(options: RemoteWritesOptions) {
    this.#options = options;
    this.#written = new WrittenOrganizations(options.session);
    this.#run();
  }

  /** Ends the pause between two polls early: a report has become urgent. */
  pollSoon(): void {
    if (this.#timer && !this.#isNotified) this.#pause(fastPollMilliseconds);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#stopListening();
  }

  get #isNotified(): boolean {
    return this.#isListening && performance.now() > this.#unheardUntil;
  }

  async #run(): Promise<void> {
    this.#timer = undefined;
    try {
      const ids = await this.#written.take();
      if (this.#isClosed) return;
      if (ids.length > 0) this.#options.report(ids);
      await this.#checkListening();
    } catch {
      // Without the database, the next poll that succeeds also reports what this one would have.
    }
    if (this.#isClosed) return;
    // A poll makes up for a lost notification. None arrives through a pooler in transaction mode, for example.
    const isFast = !this.#isNotified && this.#options.isUrgent();
    this.#pause(isFast ? fastPollMilliseconds : pollMilliseconds);
  }

  #pause(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#run(), milliseconds);
  }

  async #checkListening(): Promise<void> {
    if (this.#url !== this.#options.sessionOptions.hosts.current) this.#stopListening();
    const milliseconds = performance.now() - this.#probedAt;
    const isProbeDue = milliseconds > probeMilliseconds;
    if (this.#pool ? isProbeDue && !this.#isListening : milliseconds > listenPauseMilliseconds)
      await this.#listen();
    else if (isProbeDue) await this.#probe();
  }

  async #listen(): Promise<void> {
    const { session, sessionOptions, notifier } = this.#options;
    const [row] = await session.query(`select ${channelName}`, []);
    if (this.#isClosed) return;
    this.#stopListening();
    this.#probedAt = performance.now();
    this.#unheardUntil = performance.now() + pollMilliseconds + fastPollMilliseconds;
    this.#url = sessionOptions.hosts.current;
    const options = { ...sessionOptions, applicationName: notifier.listenerName };
    // Otherwise the driver would connect to the same host again, and print each failure.
    const onclose = () => void (pool === this.#pool && this.#stopListening());
    const pool = openPool(options, tlsOptionsOf(this.#url), onclose);
    this.#pool = pool;
    const probe = () => void this.#probe().catch(() => {});
    pool.listen(String(row?.[0]), (payload) => this.#receive(payload), probe).catch(onclose);
  }

  #stopListening(): void {
    const pool = this.#pool;
    this.#isListening = false;
    this.#pool = undefined;
    if (pool) closePool(pool);
  }

  async #probe(): Promise<void> {
    this.#isListening = false;
    this.#probedAt = performance.now();
    await this.#options.notifier.probe();
  }

  #receive(payload: string): void {
    if (this.#isClosed) return;
    const { sender, organizationIds } = readNotification(payload);
    if (sender === this.#options.notifier.listenerName) this.#isListening = true;
    else if (organizationIds.length > 0) this.#options.report(organizationIds);
  }
}
