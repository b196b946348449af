const maxAttemptsAtOnce = 100;
/** Of these, attempts of endpoints that have not succeeded since their last failure: each may take 15 s. */
const maxUnprovenAtOnce = 50;

/** What takes permits: a webhook of an organization. `isProven`: its last attempt was a success. */
type PermitUser = { organizationId: number; isProven: boolean };
export type Permit<U> = { user: U; release: () => void };

/** The attempts that may run at once. Organizations take permits in turn, and so do the webhooks of one. */
export class Permits<U extends PermitUser> {
  /** The webhooks that request permits, by organization. */
  readonly #waiting = new Map<number, Set<U>>();
  #runningCount = 0;
  #runningUnprovenCount = 0;
  #onWork: (() => void) | undefined;

  /** Adds a webhook that has a delivery to attempt. */
  request(user: U): void {
    this.#waiting.getOrInsertComputed(user.organizationId, () => new Set()).add(user);
    if (this.#canRun(user)) this.wake();
  }

  /** A permit for the webhook whose turn it is. Undefined without a free permit or a webhook that requests one. */
  take(): Permit<U> | undefined {
    const user = this.#findNext();
    if (!user) return undefined;
    const { organizationId, isProven } = user;
    const users = this.#waiting.get(organizationId);
    users?.delete(user);
    // The organization is the last one then.
    this.#waiting.delete(organizationId);
    if (users && users.size > 0) this.#waiting.set(organizationId, users);
    const count = (change: number) => {
      this.#runningCount += change;
      if (!isProven) this.#runningUnprovenCount += change;
    };
    count(1);
    const release = () => {
      count(-1);
      if (this.#findNext()) this.wake();
    };
    return { user, release };
  }

  /** Resolves when `take` returns a permit, or after `wake`. */
  async ready(): Promise<void> {
    if (this.#findNext()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onWork = resolve;
    await promise;
  }

  /** Ends the wait of `ready`. */
  wake(): void {
    this.#onWork?.();
    this.#onWork = undefined;
  }

  #findNext(): U | undefined {
    for (const users of this.#waiting.values()) for (const user of users) if (this.#canRun(user)) return user;
    return undefined;
  }

  #canRun({ isProven }: U): boolean {
    if (!isProven && this.#runningUnprovenCount === maxUnprovenAtOnce) return false;
    return this.#runningCount < maxAttemptsAtOnce;
  }
}
