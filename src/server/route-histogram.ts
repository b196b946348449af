import type { Metric, Registry } from "prom-client";

/** A cumulated value of the text format. */
type BucketValue = { metricName: string; labels: Record<string, string | number>; value: number };

/** The observations of one series. `bounds` are the upper bounds of its buckets. */
class Buckets {
  readonly #bounds: readonly number[];
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    let index = 0;
    while (index < this.#bounds.length && value > (this.#bounds[index] ?? 0)) index += 1;
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.#sum += value;
  }

  values(name: string, labels: Record<string, string | number>): BucketValue[] {
    let count = 0;
    const buckets = [...this.#counts].map((added, index) => {
      count += added;
      const le = this.#bounds[index] ?? "+Inf";
      return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count };
    });
    const sum = { metricName: `${name}_sum`, labels, value: this.#sum };
    return [...buckets, sum, { metricName: `${name}_count`, labels, value: count }];
  }
}

type HistogramOptions = { name: string; help: string; buckets: readonly number[]; registry: Registry };

/**
 * Adds a histogram of requests to a registry, and returns its `observe`. prom-client's own would make a text of the labels for
 * each request.
 */
export function createRouteHistogram({ name, help, buckets, registry }: HistogramOptions) {
  const series = new Map<string, Map<string, Map<number, Buckets>>>();
  const values = () =>
    [...series].flatMap(([route, methods]) =>
      [...methods].flatMap(([method, statuses]) =>
        [...statuses].flatMap(([status, found]) => found.values(name, { route, method, status })),
      ),
    );
  const get = async () => ({ name, help, type: "histogram", aggregator: "sum", values: values() });
  // Safe: the registry reads `name` and calls `get`.
  registry.registerMetric({ name, get } as unknown as Metric);

  function add(route: string, method: string, status: number): Buckets {
    const methods = series.get(route) ?? new Map<string, Map<number, Buckets>>();
    const statuses = methods.get(method) ?? new Map<number, Buckets>();
    const added = new Buckets(buckets);
    series.set(route, methods.set(method, statuses.set(status, added)));
    return added;
  }

  return (route: string, method: string, status: number, seconds: number): void => {
    const found = series.get(route)?.get(method)?.get(status) ?? add(route, method, status);
    found.observe(seconds);
  };
}
