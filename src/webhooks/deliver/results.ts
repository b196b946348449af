import type { Tenant } from "../../core/tenant/tenant.ts";
import { type StoredResult, storeResults } from "./store.ts";

const retryMilliseconds = 1_000;

type UnstoredResult = { result: StoredResult; resolve: (isStored: boolean) => void };
export type ResultOptions = {
  signal: AbortSignal;
  onError: (error: unknown) => void;
  /** Called after a webhook was disabled. */
  onDisabled: (webhookId: number, reason: string) => void;
};

/** Stores the results of attempts of one organization: those that end while a transaction runs share the next one. */
export class ResultWriter {
  readonly #tenant: Tenant;
  readonly #options: ResultOptions;
  #unstored: UnstoredResult[] = [];
  #isRunning = false;

  /** After `signal`, a transaction that fails is not repeated. */
  constructor(tenant: Tenant, options: ResultOptions) {
    this.#tenant = tenant;
    this.#options = options;
  }

  /** Resolves with true when the result is stored, and with false when it is not, after `signal`. */
  store(result: StoredResult): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#unstored.push({ result, resolve });
    if (!this.#isRunning) void this.#run();
    return promise;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#unstored.length > 0) {
      const batch = this.#unstored.splice(0);
      const isStored = await this.#store(batch.map(({ result }) => result));
      if (isStored || this.#options.signal.aborted) for (const { resolve } of batch) resolve(isStored);
      else {
        this.#unstored.unshift(...batch);
        await Bun.sleep(retryMilliseconds);
      }
    }
    this.#isRunning = false;
  }

  async #store(results: StoredResult[]): Promise<boolean> {
    try {
      const disabled = await this.#tenant.write((tx) => storeResults(tx, results));
      for (const [webhookId, reason] of disabled) this.#options.onDisabled(webhookId, reason);
      return true;
    } catch (error) {
      this.#options.onError(error);
      return false;
    }
  }
}
