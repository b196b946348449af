const maxAttemptsAtOnce = 100;

/** What takes slots: a webhook of an organization. */
export type SlotUser = { organizationId: number };

/** The attempts that may run at once. Organizations take slots in turn, and so do the webhooks of one. */
export class Slots<U extends SlotUser> {
  #freeCount = maxAttemptsAtOnce;
  readonly #waiting = new Map<number, Set<U>>();
  #onWork: (() => void) | undefined;

  /** Adds a webhook that has a delivery to attempt. */
  request(user: U): void {
    const { organizationId } = user;
    const users = this.#waiting.get(organizationId);
    if (users) users.add(user);
    else this.#waiting.set(organizationId, new Set([user]));
    this.#wake();
  }

  /** The webhook whose turn it is, with a slot. Undefined without a free slot or a webhook that requests one. */
  take(): U | undefined {
    if (this.#freeCount === 0) return undefined;
    const [first] = this.#waiting;
    if (!first) return undefined;
    const [organizationId, users] = first;
    const [user] = users;
    this.#waiting.delete(organizationId);
    if (!user) return undefined;
    users.delete(user);
    if (users.size > 0) this.#waiting.set(organizationId, users);
    this.#freeCount -= 1;
    return user;
  }

  release(): void {
    this.#freeCount += 1;
    this.#wake();
  }

  /** Resolves when `take` returns a webhook, or after `wake`. */
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
    return this.#freeCount > 0 && this.#waiting.size > 0;
  }

  #wake(): void {
    if (this.#isReady) this.wake();
  }
}
