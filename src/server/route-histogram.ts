import type { Metric, Registry } from "prom-client";

type Labels = Record<string, string | number>;
/** The observations of one series: their number in each bucket, the last one without an upper bound, and their sum. */
type RouteSeries = { labels: Labels; counts: Float64Array; sum: number };
type HistogramOptions = { name: string; help: string; buckets: readonly number[]; registry: Registry };

/**
 * Adds a histogram of requests to a registry, and returns its `observe`. prom-client's own would validate, sort and escape
 * the labels of each request.
 */
export function createRouteHistogram({ name, help, buckets, registry }: HistogramOptions) {
  const series = new Map<string, RouteSeries>();

  /** The cumulated values of the text format. */
  function valuesOf({ labels, counts, sum }: RouteSeries) {
    let count = 0;
    const cumulated = Array.from(counts, (added, index) => {
      count += added;
      return {
        metricName: `${name}_bucket`,
        labels: { le: buckets[index] ?? "+Inf", ...labels },
        value: count,
      };
    });
    const total = { metricName: `${name}_count`, labels, value: count };
    return [...cumulated, { metricName: `${name}_sum`, labels, value: sum }, total];
  }

  const values = () => [...series.values()].flatMap(valuesOf);
  const get = async () => ({ name, help, type: "histogram", aggregator: "sum", values: values() });
  // Safe: the registry reads `name` and calls `get`.
  registry.registerMetric({ name, get } as unknown as Metric);

  return (route: string, method: string, status: number, seconds: number): void => {
    const key = `${route} ${method} ${status}`;
    let found = series.get(key);
    if (found === undefined) {
      found = { labels: { route, method, status }, counts: new Float64Array(buckets.length + 1), sum: 0 };
      series.set(key, found);
    }
    const bucket = buckets.findIndex((bound) => seconds <= bound);
    const index = bucket === -1 ? buckets.length : bucket;
    found.counts[index] = (found.counts[index] ?? 0) + 1;
    found.sum += seconds;
  };
}
