/** The statements that a batch has sent without waiting for their results. */
export class SentStatements {
  #sent: Promise<unknown>[] = [];
  /** Resolves when the statements before the last pause have ended. */
  #earlier: Promise<unknown> = Promise.resolve();

  /** Errors are ignored. */
  add(result: Promise<unknown>): void {
    this.#sent.push(result.catch(() => {}));
  }

  /** Waits for all statements. */
  async settle(): Promise<void> {
    await Promise.all([this.#earlier, ...this.#sent.splice(0)]);
  }

  /** Waits for the statements before the last call, if later ones were sent: the server runs them while the process continues. */
  async settleEarlier(): Promise<void> {
    if (this.#sent.length === 0) return;
    const earlier = this.#earlier;
    this.#earlier = Promise.all([earlier, ...this.#sent.splice(0)]);
    await earlier;
  }
}
