import { EngineStopping } from "../../db/errors.ts";
import { pollMilliseconds, systemTimer } from "../../db/timer.ts";
import { type Log, oncePerMinute, stackOf } from "../log.ts";
import { type DeliveryServices, LeasedDeliveries } from "./leased-deliveries.ts";
import { pause } from "./pause.ts";

/**
 * A lease that is not confirmed within this time counts as lost, and no attempt begins: the database does not reply, or the
 * process was suspended. The lease expires 8 s after it has to be extended.
 */
const maxUnconfirmedMilliseconds = 5_000;

type DeliveryOptions = Omit<DeliveryServices, "timer" | "isLeased" | "onError" | "onDisabled"> &
  Partial<Pick<DeliveryServices, "timer">> & { log: Log };

/**
 * Delivers changes to webhooks while this process has the lease of the jobs. Returns a function that stops this; it resolves
 * when no attempt runs. An attempt without a stored result is repeated later.
 */
export function startDeliveries({ log, ...services }: DeliveryOptions): () => Promise<void> {
  const { engine, timer = systemTimer } = services;
  const stop = new AbortController();
  const { signal } = stop;
  const logFailure = oncePerMinute(
    (error: unknown) => log.error("deliveries_failed", { stack: stackOf(error) }),
    () => timer.elapsed(),
  );
  const running = run();
  return () => {
    stop.abort();
    return running;
  };

  async function run(): Promise<void> {
    while (!signal.aborted) {
      if (await hasLease()) await deliver();
      await pause(timer, pollMilliseconds, signal);
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
      await pause(timer, pollMilliseconds, signal);
    } while (!signal.aborted && (await hasLease()));
    end.abort();
    await ended;
  }

  async function hasLease(): Promise<boolean> {
    const lost = Promise.withResolvers<false>();
    const lose = () => lost.resolve(false);
    const timeout = setTimeout(lose, maxUnconfirmedMilliseconds);
    signal.addEventListener("abort", lose);
    try {
      return await Promise.race([engine.leaseJobs(), lost.promise]);
    } catch (error) {
      onError(error);
      return false;
    } finally {
      clearTimeout(timeout);
      signal.removeEventListener("abort", lose);
    }
  }

  function onError(error: unknown): void {
    if (!(error instanceof EngineStopping)) logFailure(error);
  }
}
