import type { Engine } from "../../../db/engine.ts";
import { Problem, unauthorized } from "../errors.ts";
import { watchProcessor } from "../turns.ts";

/** The streams and waiting requests of an organization. */
const maxFollowers = 250;
/**
 * Followers are woken at most this often, so that the changes of many commits are read and sent together. For as long, those
 * that are woken together share a page.
 */
export const wakeIntervalMilliseconds = 50;
/** Between two checks of the keys, and of the load. */
const checkIntervalMilliseconds = 500;
/** With a check this late, or when the processor is busy, followers read a page in each interval: requests come first. */
const maxDelayMilliseconds = 10;
/** The part of an interval for each follower: a page of 64 kB takes about a twelfth of it. */
const intervalMilliseconds = 2.5;

/** The key of a caller: `id` is equal for equal credentials. */
export type Authorization = { id: string; isValid: () => Promise<boolean> };

/** A reader of the change feed that waits for further changes: a stream, a waiting request, or deliveries of webhooks. */
export class Follower {
  /** Whether the organization was written to since the last `written`. */
  hasNews = false;
  readonly authorization: Authorization | undefined;
  readonly #organization: FollowedOrganization;
  readonly #load: Load;
  readonly #ended = new AbortController();
  #wake: (() => void) | undefined;
  #interval = -1;

  constructor(
    organization: FollowedOrganization,
    { load, authorization }: { load: Load; authorization: Authorization | undefined },
  ) {
    this.#organization = organization;
    this.#load = load;
    this.authorization = authorization;
  }

  /** Aborted at the end. Its reason is the problem `unauthorized` if the caller's key is not valid any more. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  /**
   * Resolves with true when the organization was written to since the last call, with false after the time or at the end.
   * A write of another process may be reported a second later.
   */
  async written(maxMilliseconds: number): Promise<boolean> {
    if (!(this.hasNews || this.signal.aborted)) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      const timer = setTimeout(resolve, maxMilliseconds);
      await promise;
      clearTimeout(timer);
      this.#wake = undefined;
    }
    const { hasNews } = this;
    this.hasNews = false;
    return hasNews && !this.signal.aborted;
  }

  /**
   * Resolves when the follower may read a page: one in each interval while requests keep the processor busy. Turns of
   * `core/turns.ts` are fair among organizations only: followers would delay the requests of their own organization.
   */
  async nextInterval(): Promise<void> {
    const { isHigh, intervalMilliseconds } = this.#load;
    if (!isHigh) return;
    const interval = Math.floor(performance.now() / intervalMilliseconds);
    // All begin at the same time, so that they share pages.
    if (interval === this.#interval)
      await Bun.sleep((interval + 1) * intervalMilliseconds - performance.now());
    this.#interval = Math.floor(performance.now() / intervalMilliseconds);
  }

  wake(): void {
    this.hasNews = true;
    this.#wake?.();
  }

  /** What `read` resolves with. Followers that read at the same position at almost the same time share it. */
  share<T>(position: number, read: () => Promise<T>): Promise<T> {
    return this.#organization.share(position, read);
  }

  end(reason?: Problem): void {
    if (this.signal.aborted) return;
    this.#ended.abort(reason);
    this.#organization.remove(this);
    this.#wake?.();
  }
}

/** Whether requests keep the processor busy, and the interval in which each follower reads a page then. */
type Load = { isHigh: boolean; intervalMilliseconds: number };

/** The followers of an organization. `onEmpty` is called after the last one has ended. */
class FollowedOrganization {
  readonly followers = new Set<Follower>();
  readonly #onEmpty: () => void;
  readonly #pages = new Map<number, Promise<unknown>>();
  #wokenAt = Number.NEGATIVE_INFINITY;
  #timer: Timer | undefined;

  constructor(onEmpty: () => void) {
    this.#onEmpty = onEmpty;
  }

  wakeSoon(): void {
    this.#timer ??= setTimeout(
      () => {
        this.#timer = undefined;
        this.#wokenAt = performance.now();
        this.#pages.clear();
        for (const follower of this.followers) follower.wake();
      },
      Math.max(0, this.#wokenAt + wakeIntervalMilliseconds - performance.now()),
    );
  }

  share<T>(position: number, read: () => Promise<T>): Promise<T> {
    // Safe: all followers read the same kind of page.
    const shared = this.#pages.get(position) as Promise<T> | undefined;
    if (shared) return shared;
    const page = read();
    this.#pages.set(position, page);
    const remove = () => {
      if (this.#pages.get(position) === page) this.#pages.delete(position);
    };
    page.then(() => setTimeout(remove, wakeIntervalMilliseconds), remove);
    return page;
  }

  remove(follower: Follower): void {
    this.followers.delete(follower);
    if (this.followers.size > 0) return;
    clearTimeout(this.#timer);
    this.#onEmpty();
  }
}

/** The followers of all organizations in this process. Without a follower, nothing is watched. */
export class Followers {
  readonly #engine: Pick<Engine, "watchWrites">;
  readonly #organizations = new Map<number, FollowedOrganization>();
  readonly #load: Load = { isHigh: false, intervalMilliseconds };
  #unwatch: (() => void) | undefined;
  #checks: Timer | undefined;
  #isChecking = false;
  #isStopped = false;

  constructor(engine: Pick<Engine, "watchWrites">) {
    this.#engine = engine;
  }

  /**
   * A follower of an organization. It ends within a second after its caller's key becomes invalid. Throws
   * `too_many_streams` when callers have 250. A follower without `authorization` is the service's own.
   */
  begin(organizationId: number, authorization?: Authorization): Follower {
    const organization = this.#organizations.get(organizationId) ?? this.#add(organizationId);
    const callers = [...organization.followers].filter((follower) => follower.authorization);
    if (authorization && callers.length >= maxFollowers)
      throw new Problem("too_many_streams", { headers: { "retry-after": "10" } });
    const follower = new Follower(organization, { load: this.#load, authorization });
    organization.followers.add(follower);
    if (this.#isStopped) follower.end();
    return follower;
  }

  /** The streams and waiting requests of callers. */
  get callerCount(): number {
    return this.#all().filter(({ authorization }) => authorization).length;
  }

  /** Ends all followers. Later ones end at once. */
  stop(): void {
    this.#isStopped = true;
    for (const follower of this.#all()) follower.end();
  }

  #add(organizationId: number): FollowedOrganization {
    const organization = new FollowedOrganization(() => this.#remove(organizationId));
    this.#organizations.set(organizationId, organization);
    this.#unwatch ??= this.#engine.watchWrites((ids) => {
      for (const id of ids) this.#organizations.get(id)?.wakeSoon();
    });
    this.#checks ??= this.#startChecks();
    return organization;
  }

  #remove(organizationId: number): void {
    this.#organizations.delete(organizationId);
    if (this.#organizations.size > 0) return;
    this.#unwatch?.();
    this.#unwatch = undefined;
    clearInterval(this.#checks);
    this.#checks = undefined;
    this.#load.isHigh = false;
  }

  #startChecks(): Timer {
    const isProcessorBusy = watchProcessor();
    let at = performance.now();
    return setInterval(() => {
      const isLate = performance.now() - at > checkIntervalMilliseconds + maxDelayMilliseconds;
      this.#load.isHigh = isProcessorBusy() || isLate;
      at = performance.now();
      this.#load.intervalMilliseconds = intervalMilliseconds * this.#all().length;
      void this.#checkKeys();
    }, checkIntervalMilliseconds);
  }

  #all(): Follower[] {
    return [...this.#organizations.values()].flatMap(({ followers }) => [...followers]);
  }

  /** Ends the followers whose keys are not valid any more. Equal keys are checked once. */
  async #checkKeys(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    const keys = Map.groupBy(this.#all(), ({ authorization }) => authorization?.id);
    await Promise.all(
      [...keys.values()].map(async (followers) => {
        // A database that cannot be read has no changes to send either.
        const isValid = await followers[0]?.authorization?.isValid().catch(() => true);
        if (isValid === false) for (const follower of followers) follower.end(unauthorized());
      }),
    );
    this.#isChecking = false;
  }
}
