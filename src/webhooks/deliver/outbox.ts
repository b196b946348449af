import { pollMilliseconds } from "../../../db/timer.ts";
import { maxPageSize } from "../../changes/follow.ts";
import type { Follower, Followers } from "../../core/changes/followers.ts";
import type { Tenant } from "../../core/tenant/tenant.ts";
import type { WebhookRules } from "../send/address-rules.ts";
import { enqueueChanges } from "./enqueue.ts";
import { expiredOutcome, outcomeOf } from "./outcome.ts";
import { EndpointPace } from "./pace.ts";
import { messageOf, sendMessage } from "./send.ts";
import { type DeliveredWebhook, maxPending, readWebhook, type StoredResult, storeResult } from "./store.ts";
import { DeliveryWindow, type PendingDelivery } from "./window.ts";

export type OutboxOptions = {
  tenant: Tenant;
  followers: Followers;
  rules: WebhookRules;
  /** Ends all work; running attempts are abandoned. */
  signal: AbortSignal;
  /** Called when there may be a delivery to attempt now. */
  onReady: (outbox: Outbox) => void;
  onError: (error: unknown) => void;
  /** Called after a webhook was disabled. */
  onDisabled: (organizationId: number, webhookId: number, reason: string) => void;
};

/** The deliveries of one webhook: from the feed to its pending deliveries, and from there to its endpoint. */
export class Outbox {
  readonly organizationId: number;
  readonly #id: number;
  readonly #options: OutboxOptions;
  /** As last reported; undefined: the webhook is not active. */
  #wantedVersion: number | undefined;
  #webhook: DeliveredWebhook | undefined;
  /** Absent, or ended, when no attempt may begin. */
  #follower: Follower | undefined;
  #window = new DeliveryWindow(false);
  #pace = new EndpointPace();
  #runningCount = 0;
  /** Attempts that run, or whose results are not stored. */
  #unstoredCount = 0;
  #changed = Promise.withResolvers<void>();
  /** Resolves when the webhook is not active, or after `signal`, and no attempt runs any more. Never rejects. */
  readonly ended: Promise<void>;

  constructor(id: number, version: number, options: OutboxOptions) {
    this.#id = id;
    this.#wantedVersion = version;
    this.#options = options;
    this.organizationId = options.tenant.organizationId;
    this.ended = this.#run();
  }

  /** The webhook has this version; undefined: it is not active. Attempts that run with other settings end first. */
  setVersion(version: number | undefined): void {
    this.#wantedVersion = version;
    if (version !== this.#webhook?.version) this.pause();
  }

  /** Ends the use of the settings that were read: no attempt begins until they are read again. Called after `signal`, too. */
  pause(): void {
    this.#follower?.end();
    this.#notify();
  }

  /** As last reported, or as read since then; undefined: the webhook is not active. */
  get version(): number | undefined {
    return this.#wantedVersion;
  }

  get isProven(): boolean {
    return this.#pace.isProven;
  }

  /** Whether an attempt can begin. */
  isReady(now: number): boolean {
    return this.#find(now) !== undefined;
  }

  /** Runs the next attempt. Undefined when none can begin now. */
  begin(now: number): Promise<void> | undefined {
    const delivery = this.#find(now);
    const webhook = this.#webhook;
    return delivery && webhook && this.#attempt(webhook, delivery);
  }

  #find(now: number): PendingDelivery | undefined {
    if (!this.#follower || this.#follower.signal.aborted) return undefined;
    if (this.#runningCount >= this.#pace.maxRunning || !this.#pace.isOpen(now)) return undefined;
    return this.#window.find(now, this.#pace.firstAttemptAt(now));
  }

  async #run(): Promise<void> {
    const { signal, onError } = this.#options;
    while (!signal.aborted && this.#wantedVersion !== undefined) {
      try {
        await this.#deliver();
      } catch (error) {
        onError(error);
        await Bun.sleep(pollMilliseconds);
      }
      this.pause();
      await this.#until(() => this.#unstoredCount === 0);
      this.#webhook = undefined;
    }
  }

  /** Delivers until the webhook is changed, or is not active. */
  async #deliver(): Promise<void> {
    const { tenant, followers, signal } = this.#options;
    const wantedVersion = this.#wantedVersion;
    const stored = await tenant.read((snapshot) => readWebhook(snapshot, this.#id));
    if (!stored) {
      // Unless it has become active meanwhile.
      if (this.#wantedVersion === wantedVersion) this.#wantedVersion = undefined;
      return;
    }
    const { webhook, pending } = stored;
    // It was changed, or deliveries were ended, during the read.
    if (signal.aborted || (this.#wantedVersion ?? Number.POSITIVE_INFINITY) > webhook.version) return;
    this.#webhook = webhook;
    this.#pace = new EndpointPace();
    this.#window = new DeliveryWindow(webhook.ordered === "strict");
    this.#window.add(pending);
    const follower = followers.begin(this.organizationId);
    this.#follower = follower;
    this.#options.onReady(this);
    // For another page.
    const hasRoom = () =>
      this.#until(() => this.#window.size + maxPageSize <= maxPending || follower.signal.aborted);
    const onAdded = (deliveries: PendingDelivery[]) => {
      this.#window.add(deliveries);
      this.#options.onReady(this);
      return hasRoom();
    };
    // Further ones may be stored. They are read after these.
    if (pending.length >= maxPending) await hasRoom();
    else await enqueueChanges(webhook, { tenant, follower, onAdded });
  }

  async #attempt(webhook: DeliveredWebhook, delivery: PendingDelivery): Promise<void> {
    this.#window.begin(delivery);
    this.#runningCount += 1;
    this.#unstoredCount += 1;
    const outcome = await this.#send(webhook, delivery);
    this.#runningCount -= 1;
    void this.#settle(delivery, outcome);
  }

  /** Resolves with what is to be stored; undefined without a result. Never rejects. */
  async #send(webhook: DeliveredWebhook, delivery: PendingDelivery): Promise<StoredResult | undefined> {
    const { tenant, rules, signal, onError } = this.#options;
    const pace = this.#pace;
    const webhookId = webhook.id;
    try {
      const message = await messageOf(tenant, webhook, delivery.sequence);
      if (!message) return expiredOutcome(delivery, { webhookId, now: tenant.now });
      const result = await sendMessage(webhook, message, { now: tenant.now, rules, signal });
      if (result.error === "aborted") return undefined;
      const { now } = tenant;
      pace.record(result, now);
      return outcomeOf(delivery, result, { webhookId, now });
    } catch (error) {
      onError(error);
      pace.hold(tenant.now + pollMilliseconds);
      return undefined;
    }
  }

  /** Stores the result of an attempt. The next delivery of the account waits for it. */
  async #settle(delivery: PendingDelivery, outcome: StoredResult | undefined): Promise<void> {
    if (outcome && outcome.disabledReason !== null) this.#follower?.end();
    const stored = outcome && (await this.#store(outcome)) ? outcome : undefined;
    if (stored?.nextAttemptAt === null) this.#window.remove(delivery);
    else this.#window.keep(delivery, stored);
    this.#unstoredCount -= 1;
    this.#notify();
    this.#options.onReady(this);
  }

  /** Resolves with true when the result is stored, and with false when it is not, after `signal`. */
  async #store(result: StoredResult): Promise<boolean> {
    const { tenant, signal, onError, onDisabled } = this.#options;
    for (;;) {
      try {
        const reason = await tenant.write((tx) => storeResult(tx, result));
        if (reason !== null) onDisabled(this.organizationId, this.#id, reason);
        return true;
      } catch (error) {
        onError(error);
        if (signal.aborted) return false;
        await Bun.sleep(pollMilliseconds);
      }
    }
  }

  #notify(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  async #until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) await this.#changed.promise;
  }
}
