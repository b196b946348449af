import { Outbox, type OutboxOptions } from "./outbox.ts";
import { readActiveWebhooks } from "./store.ts";

export class OrganizationDeliveries {
  readonly #options: OutboxOptions;
  readonly #outboxes = new Map<number, Outbox>();

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  /** The webhooks that are active, or whose attempts still run. */
  get outboxes(): Iterable<Outbox> {
    return this.#outboxes.values();
  }

  get isIdle(): boolean {
    return this.#outboxes.size === 0;
  }

  /** Reads which webhooks are active, and begins, changes or ends their deliveries. One call at a time. */
  async refresh(): Promise<void> {
    const active = await this.#options.tenant.readOne(readActiveWebhooks);
    const versions = new Map(active.map(({ id, version }) => [id, version]));
    for (const [id, outbox] of this.#outboxes) outbox.setVersion(versions.get(id));
    for (const [id, version] of versions) if (!this.#outboxes.has(id)) this.#add(id, version);
  }

  #add(id: number, version: number): void {
    const outbox = new Outbox(id, version, this.#options);
    this.#outboxes.set(id, outbox);
    void outbox.ended.then(() => {
      this.#outboxes.delete(id);
      // It has become active at the end.
      if (outbox.version !== undefined && !this.#options.signal.aborted) this.#add(id, outbox.version);
    });
  }
}
