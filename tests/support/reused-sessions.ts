import { Session } from "../../db/postgres/connections/session.ts";
import type { SessionOptions } from "../../db/postgres/connections/session-options.ts";

/** A connection of a test's engine, which a later engine of the same database can have. */
class ReusedSession extends Session {
  /** Whether the engine closes it only for itself. */
  isKept = false;
  #transactionCount = 0;

  override begin(mode: "read write" | "read only"): Promise<void> {
    this.#transactionCount += 1;
    return super.begin(mode);
  }

  override async command(run: Parameters<Session["command"]>[0]): Promise<string> {
    const name = await super.command(run);
    if (name === "COMMIT" || name === "ROLLBACK") this.#transactionCount = 0;
    return name;
  }

  override discard(): void {
    if (this.isKept) return;
    this.#transactionCount = 0;
    super.discard();
  }

  /** Resolves with whether no transaction is open, after the replies to all statements that were sent. */
  async isIdle(): Promise<boolean> {
    if (this.isOpen && this.#transactionCount > 0) await this.query("select 1", []).catch(() => {});
    return this.#transactionCount === 0;
  }
}

/** The connections to a database of the tests. Opening one and planning its statements takes 30 ms. */
export class ReusedSessions {
  readonly #idle: ReusedSession[] = [];

  /** The connections of one engine, all with the same options. `keep` closes the engine, but not them. */
  forEngine(): {
    newSession: (options: SessionOptions) => Session;
    keep: (close: () => Promise<void>) => Promise<void>;
  } {
    const used: ReusedSession[] = [];
    const newSession = (options: SessionOptions) => {
      const session = this.#idle.pop() ?? new ReusedSession(options);
      used.push(session);
      return session;
    };
    const keep = async (close: () => Promise<void>) => {
      for (const session of used) session.isKept = true;
      await close();
      for (const session of used.splice(0)) {
        const isIdle = await session.isIdle();
        session.isKept = false;
        if (isIdle) this.#idle.unshift(session);
        else session.discard();
      }
    };
    return { newSession, keep };
  }
}
