import { isatty } from "node:tty";
import type { Server } from "bun";
import { gatherRequests } from "../../db/event-loop.ts";
import { closeMilliseconds, requestTimeoutMilliseconds } from "../../db/timer.ts";
import { type Log, stackOf } from "../log.ts";

/** After a fatal error the process exits by then, even if the orderly stop blocks. */
const fatalStopMilliseconds = 10_000;

type StopRequest = { signal: string } | { cause: string };

/**
 * Handles signals and uncaught errors from now on. SIGTERM and SIGINT request a stop, and so does SIGHUP, by which a
 * closed terminal ends its programs. SIGUSR1, SIGUSR2, and SIGHUP without a terminal have no effect. An uncaught error is
 * logged, the first one only, and requests a stop. `stopRequested` resolves with the first of both; `hasFailed`: whether
 * there was such an error.
 */
export function watchProcess(log: Log) {
  const stop = Promise.withResolvers<StopRequest>();
  let hasFailed = false;
  const hasTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor));
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const)
    process.on(signal, () => {
      if (signal !== "SIGHUP" || hasTerminal) stop.resolve({ signal });
    });
  for (const signal of ["SIGUSR1", "SIGUSR2"] as const) process.on(signal, () => {});
  const onFatalError = (cause: string) => (error: unknown) => {
    if (hasFailed) return;
    hasFailed = true;
    log.error(cause, { stack: stackOf(error) });
    stop.resolve({ cause });
    setTimeout(() => process.exit(1), fatalStopMilliseconds).unref();
  };
  process.on("uncaughtException", onFatalError("uncaught_exception"));
  process.on("unhandledRejection", onFatalError("unhandled_rejection"));
  // A terminal that was closed fails every write (EIO); without a listener the error would end the process.
  process.stderr.on("error", () => {});
  return { stopRequested: stop.promise, hasFailed: () => hasFailed };
}

/** Refuses new connections, waits for requests in progress, and closes what is left. */
export async function drain(server: Server<undefined>): Promise<void> {
  // `server.stop` closes connections that were not read yet, although a whole request may have arrived.
  await gatherRequests();
  await gatherRequests();
  await Promise.race([server.stop(), Bun.sleep(requestTimeoutMilliseconds)]);
  await Promise.race([server.stop(true), Bun.sleep(closeMilliseconds)]);
}
