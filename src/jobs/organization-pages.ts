import type { Jobs } from "./jobs.ts";

/** The organizations whose work is looked for: those that were written to and, page by page, all others. */
export class OrganizationPages {
  readonly ids = new Set<number>();
  readonly #jobs: Pick<Jobs, "listOrganizations">;
  readonly #pageSize: number;
  #afterId = 0;

  constructor(jobs: Pick<Jobs, "listOrganizations">, pageSize: number) {
    this.#jobs = jobs;
    this.#pageSize = pageSize;
  }

  add(ids: Iterable<number>): void {
    for (const id of ids) this.ids.add(id);
  }

  /** Adds the next page: work becomes due with time, and a report of a write may be lost. */
  async addPage(): Promise<void> {
    const page = await this.#jobs.listOrganizations(this.#afterId, this.#pageSize);
    this.add(page);
    this.#afterId = page.length < this.#pageSize ? 0 : (page.at(-1) ?? 0);
  }

  async addAll(): Promise<void> {
    this.#afterId = 0;
    do await this.addPage();
    while (this.#afterId > 0);
  }
}
