import type { Engine } from "../../db/engine.ts";
import { fastPollMilliseconds, pollMilliseconds, type Timer } from "../../db/timer.ts";
import { type Followers, wakeIntervalMilliseconds } from "../core/changes/followers.ts";
import type { Tenant } from "../core/tenant/tenant.ts";
import { Outbox } from "../webhooks/deliver/outbox.ts";
import { type Permit, Permits } from "../webhooks/deliver/permits.ts";
import { readActiveWebhooks } from "../webhooks/deliver/store.ts";
import type { WebhookRules } from "../webhooks/send/address-rules.ts";
import { backOffFactor, isSaturated, pauseMilliseconds } from "./busy.ts";
import type { Jobs } from "./jobs.ts";
import { OrganizationPages, organizationPageSize } from "./organization-pages.ts";

/** The attempts that begin in 5 ms, and in 50 ms while requests of users keep the processors busy. */
const maxStarts = 5;

export type DeliveryServices = {
  engine: Engine;
  jobs: Pick<Jobs, "listOrganizations" | "listDelivering" | "tenant">;
  followers: Followers;
  rules: WebhookRules;
  timer: Timer;
  /** Whether an attempt may begin. */
  isLeased: () => boolean;
  onError: (error: unknown) => void;
  onDisabled: (organizationId: number, webhookId: number, reason: string) => void;
};

/** The deliveries of all organizations, while this process has the lease. */
export class LeasedDeliveries {
  readonly #services: DeliveryServices;
  readonly #signal: AbortSignal;
  /** By organization, the outboxes of the webhooks that are active, or whose attempts still run. */
  readonly #organizations = new Map<number, Map<number, Outbox>>();
  readonly #permits = new Permits<Outbox>();
  readonly #written: OrganizationPages;
  #wake = Promise.withResolvers<void>();

  constructor(services: DeliveryServices, signal: AbortSignal) {
    this.#services = services;
    this.#signal = signal;
    this.#written = new OrganizationPages(services.jobs);
  }

  /** Delivers until `signal`. Resolves when no attempt runs. Never rejects. */
  async run(): Promise<void> {
    const { engine } = this.#services;
    const unwatch = engine.watchWrites(
      (ids) => {
        this.#written.report(ids);
        this.#wake.resolve();
      },
      { isUrgent: () => this.#organizations.size > 0 },
    );
    this.#signal.addEventListener("abort", () => {
      this.#wake.resolve();
      this.#permits.wake();
      for (const outbox of this.#outboxes()) outbox.pause();
    });
    const starting = this.#startAttempts();
    await this.#findDeliveries();
    unwatch();
    await Promise.all([starting, ...this.#outboxes().map(({ ended }) => ended)]);
  }

  async #findDeliveries(): Promise<void> {
    const { timer, onError } = this.#services;
    let hasAll = false;
    while (!this.#signal.aborted) {
      try {
        // Later, a webhook becomes active only by a write.
        if (!hasAll) await this.#written.addAll();
        hasAll = true;
        this.#written.addReported();
        await this.#refreshWritten();
      } catch (error) {
        onError(error);
        await timer.sleep(pollMilliseconds);
      }
      for (const outbox of this.#outboxes()) this.#requestPermit(outbox);
      // A delivery becomes due with time.
      const milliseconds = this.#organizations.size > 0 ? fastPollMilliseconds : pollMilliseconds;
      await Promise.race([timer.sleep(milliseconds), this.#wake.promise]);
      this.#wake = Promise.withResolvers();
      if (!this.#signal.aborted) await timer.sleep(wakeIntervalMilliseconds);
    }
  }

  async #refreshWritten(): Promise<void> {
    const { jobs } = this.#services;
    const ids = [...this.#written.ids];
    for (let start = 0; start < ids.length && !this.#signal.aborted; start += organizationPageSize) {
      const page = ids.slice(start, start + organizationPageSize);
      const delivering = new Set(await jobs.listDelivering(page));
      for (const id of page) {
        this.#written.ids.delete(id);
        if (delivering.has(id) || this.#organizations.has(id)) await this.#refresh(id);
      }
    }
  }

  /** Reads which webhooks are active, and begins, changes or ends their deliveries. One call at a time. */
  async #refresh(organizationId: number): Promise<void> {
    const tenant = this.#services.jobs.tenant(organizationId);
    const active = await tenant.readOne(readActiveWebhooks).catch((error: unknown) => {
      this.#written.add([organizationId]);
      throw error;
    });
    const versions = new Map(active.map(({ id, version }) => [id, version]));
    const outboxes = this.#organizations.get(organizationId) ?? new Map<number, Outbox>();
    for (const [id, outbox] of outboxes) outbox.setVersion(versions.get(id));
    for (const [id, version] of versions) if (!outboxes.has(id)) this.#add(outboxes, id, version, tenant);
    if (outboxes.size > 0) this.#organizations.set(organizationId, outboxes);
    else this.#organizations.delete(organizationId);
  }

  #add(outboxes: Map<number, Outbox>, id: number, version: number, tenant: Tenant): void {
    const onReady = (ready: Outbox) => this.#requestPermit(ready);
    const outbox = new Outbox(id, version, { ...this.#services, tenant, signal: this.#signal, onReady });
    outboxes.set(id, outbox);
    void outbox.ended.then(() => {
      outboxes.delete(id);
      // It has become active at the end.
      if (outbox.version !== undefined && !this.#signal.aborted)
        this.#add(outboxes, id, outbox.version, tenant);
      else if (outboxes.size === 0) this.#organizations.delete(tenant.organizationId);
    });
  }

  #outboxes(): Outbox[] {
    return [...this.#organizations.values()].flatMap((outboxes) => [...outboxes.values()]);
  }

  #requestPermit(outbox: Outbox): void {
    if (outbox.isReady(this.#services.engine.now())) this.#permits.request(outbox);
  }

  async #startAttempts(): Promise<void> {
    const { engine, timer, isLeased } = this.#services;
    for (;;) {
      await this.#permits.ready();
      if (this.#signal.aborted) return;
      if (await isSaturated(engine, timer)) await timer.sleep(backOffFactor * pauseMilliseconds);
      for (let count = 0; count < maxStarts && isLeased() && !this.#signal.aborted; count += 1) {
        const permit = this.#permits.take();
        if (!permit) break;
        void this.#startAttempt(permit);
      }
    }
  }

  /** Runs the next attempt of the outbox that has the permit. Never rejects. */
  async #startAttempt({ user: outbox, release }: Permit<Outbox>): Promise<void> {
    const running = outbox.begin(this.#services.engine.now());
    // A webhook may have several permits.
    if (running) this.#requestPermit(outbox);
    await running;
    release();
    this.#requestPermit(outbox);
  }
}
