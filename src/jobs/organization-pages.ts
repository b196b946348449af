import type { Jobs } from "./jobs.ts";

/** The organizations whose work one statement finds on the serving thread. */
export const organizationPageSize = 50;
/** The shortest time between two first pages: a server with few organizations would read them all every second. */
const minCycleMilliseconds = 5_000;

/** The organizations whose work is looked for: those that were written to and, page by page, all others. */
export class OrganizationPages {
  readonly ids = new Set<number>();
  readonly #jobs: Pick<Jobs, "listOrganizations">;
  readonly #reported = new Set<number>();
  #afterId = 0;
  /** When the last first page was added, in milliseconds since 1970 UTC. */
  #cycleStartedAt = Number.NEGATIVE_INFINITY;

  constructor(jobs: Pick<Jobs, "listOrganizations">) {
    this.#jobs = jobs;
  }

  add(ids: Iterable<number>): void {
    for (const id of ids) this.ids.add(id);
  }

  /** Keeps organizations for `addReported`. A report can arrive while the work of these organizations is looked for. */
  report(ids: readonly number[]): void {
    for (const id of ids) this.#reported.add(id);
  }

  addReported(): void {
    this.add(this.#reported);
    this.#reported.clear();
  }

  /** Adds the next page, unless it is the first one again within 5 s of the clock: work becomes due with time. */
  async addPage(now: number): Promise<void> {
    const isFirst = this.#afterId === 0;
    // The clock may have been set back.
    if (isFirst && Math.abs(now - this.#cycleStartedAt) < minCycleMilliseconds) return;
    await this.#addNext();
    if (isFirst) this.#cycleStartedAt = now;
  }

  /** Lets `addPage` add the next page at once: work has failed. */
  skipPause(): void {
    this.#cycleStartedAt = Number.NEGATIVE_INFINITY;
  }

  async addAll(): Promise<void> {
    this.#afterId = 0;
    do await this.#addNext();
    while (this.#afterId > 0);
  }

  async #addNext(): Promise<void> {
    const page = await this.#jobs.listOrganizations(this.#afterId, organizationPageSize);
    this.add(page);
    this.#afterId = page.length < organizationPageSize ? 0 : (page.at(-1) ?? 0);
  }
}
