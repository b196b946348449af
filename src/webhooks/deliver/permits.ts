const maxAttemptsAtOnce = 100;
/** Of these, attempts of endpoints that have not succeeded since their last failure: each may take 15 s. */
const maxUnprovenAtOnce = 50;

/** What takes permits: a webhook of an organization. `isProven`: its last attempt was a success. */
type PermitUser = { organizationId: number; isProven: boolean };
export type Permit<U> = { user: U; release: () => void };

/** The attempts that may run at once. Organizations take permits in turn, and so do the webhooks of one. */
export class Permits<U extends PermitUser> {
  readonly #proven = new PermitQueue<U>(maxAttemptsAtOnce);
  readonly #unproven = new PermitQueue<U>(maxUnprovenAtOnce);
  #freeCount = maxAttemptsAtOnce;
  #isProvenNext = true;
  #onWork: (() => void) | undefined;

  /** Adds a webhook that has a delivery to attempt. */
  request(user: U): void {
    (user.isProven ? this.#proven : this.#unproven).add(user);
    this.#wakeIfReady();
  }

  /** A permit for the webhook whose turn it is. Undefined without a free permit or a webhook that requests one. */
  take(): Permit<U> | undefined {
    if (this.#freeCount === 0) return undefined;
    const queues = [this.#proven, this.#unproven];
    const queue = (this.#isProvenNext ? queues : queues.reverse()).find(({ isReady }) => isReady);
    const user = queue?.take();
    if (!(queue && user)) return undefined;
    this.#isProvenNext = queue === this.#unproven;
    this.#freeCount -= 1;
    const release = () => {
      this.#freeCount += 1;
      queue.freeCount += 1;
      this.#wakeIfReady();
    };
    return { user, release };
  }

  /** Resolves when `take` returns a permit, or after `wake`. */
  async ready(): Promise<void> {
    if (this.#isReady) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onWork = resolve;
    await promise;
  }

  /** Ends the wait of `ready`. */
  wake(): void {
    this.#onWork?.();
    this.#onWork = undefined;
  }

  get #isReady(): boolean {
    return this.#freeCount > 0 && (this.#proven.isReady || this.#unproven.isReady);
  }

  #wakeIfReady(): void {
    if (this.#isReady) this.wake();
  }
}

/** The webhooks that request permits, by organization. */
class PermitQueue<U extends PermitUser> {
  readonly #waiting = new Map<number, Set<U>>();
  freeCount: number;

  constructor(freeCount: number) {
    this.freeCount = freeCount;
  }

  get isReady(): boolean {
    return this.freeCount > 0 && this.#waiting.size > 0;
  }

  add(user: U): void {
    const users = this.#waiting.get(user.organizationId);
    if (users) users.add(user);
    else this.#waiting.set(user.organizationId, new Set([user]));
  }

  /** Takes the first webhook of the first organization, which is the last one then. */
  take(): U | undefined {
    const [first] = this.#waiting;
    if (!first) return undefined;
    const [organizationId, users] = first;
    const [user] = users;
    this.#waiting.delete(organizationId);
    if (user) users.delete(user);
    if (users.size > 0) this.#waiting.set(organizationId, users);
    this.freeCount -= 1;
    return user;
  }
}
