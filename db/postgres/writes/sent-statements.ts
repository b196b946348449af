/** The statements that a batch has sent without waiting for their results. */
export class SentStatements {
  #sent: Promise<unknown>[] = [];
  /** Of those before the last pause. */
  #earlier: Promise<unknown> = Promise.resolve();

  /** Errors are ignored. */
  add(result: Promise<unknown>): void {
    this.#sent.push(result.catch(() => {}));
  }

  /** Waits for all. */
  async settle(): Promise<void> {
    await Promise.all([this.#earlier, ...this.#sent.splice(0)]);
  }

  /** If there are new ones since the last call, waits for those before it: the server runs while the process goes on. */
  async settleEarlier(): Promise<void> {
    if (this.#sent.length === 0) return;
    const earlier = this.#earlier;
    this.#earlier = Promise.all([earlier, ...this.#sent.splice(0)]);
    await earlier;
  }
}
