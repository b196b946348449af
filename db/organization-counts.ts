/** A number for all organizations, and for each. */
export class OrganizationCounts {
  total = 0;
  readonly #counts = new Map<number, number>();

  of(organizationId: number): number {
    return this.#counts.get(organizationId) ?? 0;
  }

  add(organizationId: number, added: number): void {
    this.total += added;
    const sum = this.of(organizationId) + added;
    if (sum > 0) this.#counts.set(organizationId, sum);
    else this.#counts.delete(organizationId);
  }
}
