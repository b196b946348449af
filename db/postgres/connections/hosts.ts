import { lookup } from "node:dns/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { ReservedSQL, SQL } from "bun";
import { EngineBusy, errorCode, UnusableDatabase } from "../../errors.ts";
import { urlsOfHosts } from "../../server-url.ts";
import { stateOf } from "../errors.ts";
import { explainTlsError, type TlsOptions, tlsOptionsOf } from "./tls.ts";

/** The time for the address of a host, for a late reply, and before the next host is tried, too, while one is silent. */
export const maxSilentMilliseconds = 500;
const defaultPort = "5432";

/** An error of a connection to the host of a URL, with its cause and what to do; any other error unchanged. */
async function explainConnectError(error: unknown, url: string): Promise<unknown> {
  const { hostname, port, username, pathname } = new URL(url);
  if (!(error instanceof Error)) return error;
  if (errorCode(error) === "ERR_POSTGRES_CONNECTION_REFUSED" && hostname !== "") {
    const message = (await isUnknown(hostname))
      ? `The host ${hostname} is unknown.`
      : `No server accepts connections at ${hostname}:${port || defaultPort}.`;
    return new EngineBusy(message, { cause: error });
  }
  const advice = adviceFor(error, decodeURIComponent(username), decodeURIComponent(pathname.slice(1)));
  if (advice === undefined) return explainTlsError(error, hostname);
  return new EngineBusy(`${error.message.replace(/\.$/, "")}. ${advice}`, { cause: error });
}

function adviceFor(error: Error, role: string, database: string): string | undefined {
  const state = stateOf(error);
  if (/^unsupported startup parameter/.test(error.message))
    return "A pooler refuses it: set DATABASE_PREPARE=false, or, if it pools sessions, add the parameter to ignore_startup_parameters of PgBouncer.";
  if (state === "28P01")
    return "Percent-encode the special characters of the password in the URL, or set PGPASSWORD.";
  if (state === "3D000")
    return `Create the database: createdb --owner ${role || "ROLE"} --encoding UTF8 ${database || "NAME"}.`;
  return undefined;
}

async function isUnknown(hostname: string): Promise<boolean> {
  const { isIP } = process.getBuiltinModule("node:net");
  if (isIP(hostname.replace(/^\[|\]$/g, "")) !== 0) return false;
  const found = lookup(hostname).then(
    () => false,
    (error: unknown) => /^(?:ENOTFOUND|DNS_ENOTFOUND)$/.test(errorCode(error)),
  );
  return Promise.race([found, Bun.sleep(maxSilentMilliseconds).then(() => false)]);
}

export type HostConnection = { pool: SQL; connection: ReservedSQL };

type ConnectOptions = {
  /** Makes a pool of one connection. */
  openPool: (options: TlsOptions) => SQL;
  /** The time in which a host accepts a connection. */
  milliseconds: number;
  /** Ends the attempts. */
  signal?: AbortSignal;
};

/** The hosts of a URL; one of them accepts writes. Attempts start with the host that last accepted writes. */
export class Hosts {
  #urls: readonly string[];
  #generation = 0;

  /** Throws UnusableDatabase for a text that is no URL of a server. */
  constructor(url: string) {
    const urls = urlsOfHosts(url);
    if (!urls) throw new UnusableDatabase("The URL of the PostgreSQL database is invalid.");
    this.#urls = urls;
  }

  /** The URL of the host that last accepted writes. */
  get current(): string {
    return this.#urls[0] ?? "";
  }

  /** A number that changes when one of several hosts stops accepting writes: older connections can be to that host. */
  get generation(): number {
    return this.#generation;
  }

  /** Called when a connection of a generation was refused a write. */
  markReadOnly(generation: number): void {
    if (this.#urls.length > 1 && generation === this.#generation) this.#generation += 1;
  }

  /**
   * Connects to the only host, or to the first of several that accepts writes. Throws the error of the only host, or
   * EngineBusy with the errors of all.
   */
  async connect(options: ConnectOptions): Promise<HostConnection> {
    const end = new AbortController();
    const signal = AbortSignal.any([end.signal, ...(options.signal ? [options.signal] : [])]);
    const pause = Math.min(maxSilentMilliseconds, options.milliseconds / this.#urls.length);
    const urls = this.#urls;
    const attempts: Promise<HostConnection>[] = [];
    for (const [i, url] of urls.entries()) {
      const previous = attempts.at(-1)?.catch(() => {});
      const start = Promise.race([previous, sleep(i * pause, undefined, { ref: false })]);
      attempts.push(start.then(() => this.#connectTo(url, { ...options, signal })));
    }
    let chosen: HostConnection | undefined;
    try {
      const results = attempts.map(async (attempt, i) => ({ connected: await attempt, i }));
      const { connected, i } = await Promise.any(results);
      this.#urls = [...urls.slice(i), ...urls.slice(0, i)];
      chosen = connected;
      return chosen;
    } catch (error) {
      throw errorOf(urls, error);
    } finally {
      for (const attempt of attempts)
        attempt.then(
          ({ pool }) => pool !== chosen?.pool && closePool(pool),
          () => {},
        );
      end.abort();
    }
  }

  async #connectTo(
    url: string,
    { openPool, milliseconds, signal }: ConnectOptions & { signal: AbortSignal },
  ): Promise<HostConnection> {
    signal.throwIfAborted();
    const pool = openPool(tlsOptionsOf(url));
    const stop = () => closePool(pool);
    let isLate = false;
    const deadline = setTimeout(() => {
      isLate = true;
      stop();
    }, milliseconds);
    signal.addEventListener("abort", stop);
    try {
      const connection = await pool.reserve();
      if (this.#urls.length > 1) await requireWrites(connection);
      return { pool, connection };
    } catch (error) {
      stop();
      if (isLate) throw new EngineBusy(`There was no reply within ${milliseconds / 1_000} s.`);
      throw await explainConnectError(error, url);
    } finally {
      clearTimeout(deadline);
      signal.removeEventListener("abort", stop);
    }
  }
}

/** Closes all connections of a pool at once. */
export function closePool(pool: SQL): void {
  pool.close({ timeout: 0 }).catch(() => {});
}

/** One round trip: a statement without parameters is not prepared. */
async function requireWrites(connection: ReservedSQL): Promise<void> {
  const [row] = await connection.unsafe("show transaction_read_only").values();
  if (row?.[0] !== "off") throw new EngineBusy("The server accepts no writes.");
}

function errorOf(urls: readonly string[], error: unknown): unknown {
  if (!(error instanceof AggregateError)) return error;
  const setting = error.errors.find((reason) => reason instanceof UnusableDatabase);
  if (setting || urls.length === 1) return setting ?? error.errors[0];
  const reasons = urls.map((url, i) => {
    const { host } = new URL(url);
    const message = error.errors[i].message.replace(/\.$/, "");
    return message.includes(host) ? message : `${host}: ${message}`;
  });
  return new EngineBusy(`No host accepts writes (${reasons.join("; ")}).`, { cause: error });
}
