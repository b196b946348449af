import { errorCode } from "../../db/errors.ts";
import type { Address } from "../config.ts";
import { type Backlog, startSamples } from "../jobs/samples.ts";
import { explainListenError, formatAddress, urlOf } from "./listen.ts";
import type { MetricSources, Metrics } from "./metrics.ts";

/**
 * Serves `GET /metrics` on an address of its own, and samples the backlogs. Throws OperatorError when the address is in use
 * or cannot be bound.
 */
export function serveMetrics(
  metrics: Metrics,
  { host, port }: Address,
  sources: Omit<MetricSources, "backlog">,
) {
  const { registry } = metrics;
  const reply = async () =>
    new Response(await registry.metrics(), { headers: { "content-type": registry.contentType } });
  let server: Bun.Server<undefined>;
  try {
    server = Bun.serve({
      hostname: host,
      port,
      routes: { "/metrics": { GET: reply } },
      fetch: () => new Response("The metrics are at /metrics.\n", { status: 404 }),
      // The page of Bun shows the source of the program.
      error: () => new Response("A metric could not be read.\n", { status: 500 }),
    });
  } catch (error) {
    const flags = { port: "--metrics", host: "--metrics" };
    throw explainListenError(errorCode(error), formatAddress(host, port), flags);
  }
  let backlog: Backlog | undefined;
  metrics.watch({ ...sources, backlog: () => backlog });
  const stopSamples = startSamples({
    engine: sources.engine,
    onBacklog: (sampled) => {
      backlog = sampled;
    },
  });
  return {
    url: `${urlOf(server)}/metrics`,
    stop: async (): Promise<void> => {
      metrics.stop();
      await Promise.all([server.stop(true), stopSamples()]);
    },
  };
}
