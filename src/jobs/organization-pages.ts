import type { Jobs } from "./jobs.ts";

/** The organizations whose work one statement finds on the serving thread. */
export const organizationPageSize = 50;

/** The organizations whose work is looked for: those that were written to and, page by page, all others. */
export class OrganizationPages {
  readonly ids = new Set<number>();
  readonly #jobs: Pick<Jobs, "listOrganizations">;
  #afterId = 0;

  constructor(jobs: Pick<Jobs, "listOrganizations">) {
    this.#jobs = jobs;
  }

  add(ids: Iterable<number>): void {
    for (const id of ids) this.ids.add(id);
  }

  /** Adds the next page: work becomes due with time, and a report of a write may be lost. */
  async addPage(): Promise<void> {
    const page = await this.#jobs.listOrganizations(this.#afterId, organizationPageSize);
    this.add(page);
    this.#afterId = page.length < organizationPageSize ? 0 : (page.at(-1) ?? 0);
  }

  async addAll(): Promise<void> {
    this.#afterId = 0;
    do await this.addPage();
    while (this.#afterId > 0);
  }
}
