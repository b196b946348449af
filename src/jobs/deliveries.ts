import { EngineStopping } from "../../db/errors.ts";
import { systemTimer } from "../../db/timer.ts";
import { type Log, stackOf } from "../log.ts";
import { type DeliveryServices, LeasedDeliveries } from "./leased-deliveries.ts";

const leaseIntervalMilliseconds = 1_000;
/** A lease that is not confirmed within this time counts as lost: it expires 8 s after it has to be extended. */
const maxLeaseMilliseconds = 5_000;
/** Without a confirmation for this time no attempt begins: the process was suspended, and another one may have the lease. */
const maxUnconfirmedMilliseconds = 7_000;
const logIntervalMilliseconds = 60_000;

type DeliveryOptions = Omit<DeliveryServices, "timer" | "isLeased" | "onError" | "onDisabled"> &
  Partial<Pick<DeliveryServices, "timer">> & { log: Log };

/**
 * Delivers changes to webhooks while this process has the lease of the jobs. Returns a function that stops this; it resolves
 * when no attempt runs. An attempt without a stored result is repeated later.
 */
export function startDeliveries({ log, ...services }: DeliveryOptions): () => Promise<void> {
  const { engine, timer = systemTimer } = services;
  let isStopped = false;
  /** Ends the pause that runs. */
  let endPause = () => {};
  let logAt = Number.NEGATIVE_INFINITY;
  const running = run();
  return () => {
    isStopped = true;
    endPause();
    return running;
  };

  async function pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    endPause = resolve;
    if (!isStopped) await Promise.race([timer.sleep(leaseIntervalMilliseconds), promise]);
  }

  async function run(): Promise<void> {
    while (!isStopped) {
      if (await hasLease()) await deliver();
      await pause();
    }
  }

  /** Delivers until the lease is lost, or the stop. */
  async function deliver(): Promise<void> {
    const end = new AbortController();
    const onDisabled = (organizationId: number, webhookId: number, reason: string) =>
      log.info("webhook_disabled", { organizationId, webhookId, reason });
    let confirmedAt = timer.elapsed();
    const isLeased = () => timer.elapsed() - confirmedAt < maxUnconfirmedMilliseconds;
    const deliveries = new LeasedDeliveries(
      { ...services, timer, isLeased, onError, onDisabled },
      end.signal,
    );
    const ended = deliveries.run();
    do {
      confirmedAt = timer.elapsed();
      await pause();
    } while (!isStopped && (await hasLease()));
    end.abort();
    await ended;
  }

  async function hasLease(): Promise<boolean> {
    const lost = Promise.withResolvers<boolean>();
    const timeout = setTimeout(() => lost.resolve(false), maxLeaseMilliseconds);
    endPause = () => lost.resolve(false);
    try {
      return await Promise.race([engine.leaseJobs(), lost.promise]);
    } catch (error) {
      onError(error);
      return false;
    } finally {
      clearTimeout(timeout);
    }
  }

  /** Logs an error, at most once a minute. */
  function onError(error: unknown): void {
    if (error instanceof EngineStopping || timer.elapsed() < logAt) return;
    logAt = timer.elapsed() + logIntervalMilliseconds;
    log.error("deliveries_failed", { stack: stackOf(error) });
  }
}
