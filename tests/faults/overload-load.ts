import { readFileSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { join } from "node:path";
import { folder } from "../binary/binary.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { quantileOf } from "../support/quantile.ts";
import { loadRequest } from "./load.ts";
import { LoadConnection } from "./load-connection.ts";

export type OverloadOrder = {
  url: string;
  /** Of several organizations, whose requests alternate. */
  keys: readonly string[];
  connections: number;
  /** Requests in a second, which do not wait for replies. Absent: each connection sends its next request at once. */
  ratePerSecond?: number;
  seconds: number;
  /** Begins the external ids of the accounts. */
  prefix: string;
};
type FileOrder = OverloadOrder & { resultFile: string };
export type OverloadResult = {
  /** Successes in a second, without the first and the last part of the time. */
  goodput: number;
  sentPerSecond: number;
  /** Numbers of replies by status and code. */
  statuses: Record<string, number>;
  /** The median and the p99 of 429 and 503, and the p99 of successes, in milliseconds; 0 without any. */
  medianRefusalMilliseconds: number;
  refusalMilliseconds: number;
  successMilliseconds: number;
  /** The external ids of the acknowledged accounts. */
  acknowledged: string[];
};

/** The shares of the time at which the measurement starts and ends. */
const [measuredFrom, measuredTo] = [0.2, 0.95];
const refusal = /^(?:429|503) /;

/**
 * Sends reads and writes by turns from a process of its own, for the time of the order or until the server ends.
 * `started` resolves when the connections are open.
 */
export function startOverload(order: OverloadOrder, { isUrgent = false } = {}) {
  const resultFile = join(folder(), "result");
  const child = Bun.spawn([process.execPath, import.meta.path], {
    stdin: Buffer.from(JSON.stringify({ ...order, resultFile } satisfies FileOrder)),
    stdout: "pipe",
    stderr: "inherit",
  });
  closeAfterTest(() => child.kill("SIGKILL"));
  // Root only. Otherwise what is measured is also the wait for a processor that another load uses.
  if (isUrgent) setPriority(child.pid, constants.priority.PRIORITY_HIGHEST);
  return {
    started: child.stdout.getReader().read(),
    async result(): Promise<OverloadResult> {
      await child.exited;
      return JSON.parse(readFileSync(resultFile, "utf8"));
    },
  };
}

class Overload {
  readonly #order: OverloadOrder;
  readonly #idle: LoadConnection[] = [];
  readonly #statuses: Record<string, number> = {};
  readonly #acknowledged: string[] = [];
  readonly #times = { refused: [] as number[], good: [] as number[] };
  #goodCount = 0;
  #sentCount = 0;
  #openCount = 0;
  #startedAt = 0;

  constructor(order: OverloadOrder) {
    this.#order = order;
  }

  async run(): Promise<OverloadResult> {
    const { connections, ratePerSecond = Number.POSITIVE_INFINITY, seconds } = this.#order;
    for (let i = 0; i < connections; i += 1) this.#idle.push(await this.#connect());
    this.#openCount = connections;
    process.stdout.write("\n");
    this.#startedAt = performance.now();
    for (let elapsed = 0; elapsed < seconds && this.#openCount > 0; elapsed = this.#elapsedSeconds()) {
      const due = ratePerSecond * elapsed - this.#sentCount;
      const batch = this.#idle.splice(0, Math.max(0, due));
      for (const connection of batch) void this.#send(connection);
      await (ratePerSecond === Number.POSITIVE_INFINITY ? Bun.sleep(0) : Bun.sleep(1));
    }
    const lastSeconds = this.#elapsedSeconds();
    // Replies that are on their way.
    while (this.#idle.length < this.#openCount && this.#elapsedSeconds() < lastSeconds + 10)
      await Bun.sleep(10);
    const measured = seconds * (measuredTo - measuredFrom);
    const quantile = (times: readonly number[], share = 0.99) =>
      times.length === 0 ? 0 : quantileOf(times, share);
    return {
      goodput: this.#goodCount / measured,
      sentPerSecond: this.#sentCount / lastSeconds,
      statuses: this.#statuses,
      medianRefusalMilliseconds: quantile(this.#times.refused, 0.5),
      refusalMilliseconds: quantile(this.#times.refused),
      successMilliseconds: quantile(this.#times.good),
      acknowledged: this.#acknowledged,
    };
  }

  #elapsedSeconds(): number {
    return (performance.now() - this.#startedAt) / 1_000;
  }

  async #send(connection: LoadConnection): Promise<void> {
    const { keys, prefix, seconds } = this.#order;
    this.#sentCount += 1;
    const number = this.#sentCount;
    const key = keys[(number >> 1) % keys.length] ?? "";
    const externalId = `${prefix}-${number}`;
    const isWrite = number % 2 === 0;
    const request = isWrite
      ? loadRequest(key, "POST", "/api/v1/accounts", {
          body: JSON.stringify({ name: externalId, externalId }),
        })
      : loadRequest(key, "GET", "/api/v1/accounts?pageSize=1&sortBy=createdAt");
    const sentAt = performance.now();
    const { status } = await connection.send(Buffer.from(request));
    const milliseconds = performance.now() - sentAt;
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
    if (connection.isOpen) this.#idle.push(connection);
    else this.#openCount -= 1;
    if (refusal.test(status)) this.#times.refused.push(milliseconds);
    if (!status.startsWith("2")) return;
    if (isWrite) this.#acknowledged.push(externalId);
    const share = this.#elapsedSeconds() / seconds;
    if (share < measuredFrom || share > measuredTo) return;
    this.#goodCount += 1;
    this.#times.good.push(milliseconds);
  }

  async #connect(): Promise<LoadConnection> {
    const connection = new LoadConnection();
    const { hostname, port } = new URL(this.#order.url);
    connection.socket = await Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        data: (_, chunk) => connection.receive(chunk),
        drain: () => connection.flush(),
        close: () => connection.lose(),
        error: () => connection.lose(),
      },
    });
    connection.isOpen = true;
    return connection;
  }
}

if (import.meta.main) {
  // Safe: `startOverload` writes it.
  const order = JSON.parse(await Bun.stdin.text()) as FileOrder;
  await Bun.write(order.resultFile, JSON.stringify(await new Overload(order).run()));
  process.exit(0);
}
