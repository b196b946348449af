import { urlsOfHosts } from "../db/server-url.ts";
import type { ConnectionSettings } from "../db/storage.ts";
import { maxEventAgeDays } from "./core/event-limits.ts";
import { readTrustedProxies, type TrustedProxies } from "./core/settings/client-address.ts";
import { readOrigins } from "./core/settings/origins.ts";
import {
  invalidSetting,
  parseBoolean,
  parseCount,
  parseDays,
  parseKeepAlive,
  parseOptionalRate,
  parseRate,
  parseReadWorkers,
  parseSwitch,
  parseWaitingBytes,
} from "./core/settings/setting-values.ts";

type Flags = Readonly<Record<string, string | boolean | undefined>>;
type Environment = Readonly<Record<string, string | undefined>>;

export type Address = {
  host: string;
  /** 0 picks a free port. */
  port: number;
};

export type ServerConfig = Address & {
  /** The path of the database, or its `postgres:` URL. */
  database: string;
  /** Log every request, not only failures. */
  hasAccessLog: boolean;
  /** Days for which usage events are kept. Their daily counts are kept without a limit. */
  eventDays: number;
  /** Days for which changes are kept. */
  changeDays: number;
  /** The maximum number of processes for slow reads; undefined: by the number of cores. */
  readWorkers: number | undefined;
  /** The bytes of all bodies that are being read or whose requests are in progress. */
  maxWaitingBytes: number;
  /** Requests per minute of a key that has no limit of its own; undefined: no limit. */
  rateLimit: number | undefined;
  /** Failed authentications per minute and address; 0: no limit. */
  authFailureLimit: number;
  /** How long a connection may be idle after a reply. */
  keepAliveSeconds: number;
  /** The proxies whose `X-Forwarded-For` is used. */
  trustedProxies: TrustedProxies;
  /** The origins of the pages that may send events. Empty: none; `*`: every one. */
  corsOrigins: readonly string[];
  /** Whether the console is served. */
  hasConsole: boolean;
  /** Of a database on a server. */
  connections: ConnectionSettings;
};

const minChangeDays = 1;
const maxConnections = 1_000;
const maxTimeoutSeconds = 3_600;
const defaultWaitingBytes = 50_331_648;

/**
 * The path of the database, or its `postgres:` URL. A flag takes precedence over the environment. Throws UsageError for
 * an invalid one.
 */
export function readDatabase(
  flags: Flags,
  environment: Environment = Bun.env,
  defaultDatabase = "data/accountd.db",
): string {
  return parseDatabase(
    setting(flags, environment, "database", "DATABASE_URL", defaultDatabase),
    undefined,
    environment,
  );
}

/** The address to listen on. Throws UsageError. */
export function readAddress(flags: Flags, environment: Environment = Bun.env): Address {
  return {
    host: parseHost(setting(flags, environment, "host", "HOST", "127.0.0.1")),
    port: parsePort(setting(flags, environment, "port", "PORT", "3000")),
  };
}

/** All settings of a server process. Throws UsageError. */
export function readServerConfig(
  flags: Flags,
  environment: Environment = Bun.env,
  defaultDatabase?: string,
): ServerConfig {
  const read = (flag: string, variable: string, fallback: string) =>
    setting(flags, environment, flag, variable, fallback);
  return {
    database: readDatabase(flags, environment, defaultDatabase),
    ...readAddress(flags, environment),
    hasAccessLog:
      flags["log-requests"] === true || parseBoolean(environment.LOG_REQUESTS || "false", "LOG_REQUESTS"),
    // Events must be kept for as long as they are deduplicated.
    eventDays: parseDays(read("event-days", "EVENT_DAYS", String(maxEventAgeDays)), "event", maxEventAgeDays),
    changeDays: parseDays(read("change-days", "CHANGE_DAYS", "400"), "change", minChangeDays),
    readWorkers: parseReadWorkers(read("read-workers", "READ_WORKERS", "auto")),
    maxWaitingBytes: parseWaitingBytes(
      read("max-waiting-bytes", "MAX_WAITING_BYTES", String(defaultWaitingBytes)),
    ),
    rateLimit: parseOptionalRate(read("rate-limit", "RATE_LIMIT", "off")),
    authFailureLimit: parseRate(
      read("auth-failure-limit", "AUTH_FAILURE_LIMIT", "100"),
      "--auth-failure-limit (AUTH_FAILURE_LIMIT)",
      0,
    ),
    keepAliveSeconds: parseKeepAlive(read("keep-alive", "KEEP_ALIVE", "75")),
    trustedProxies: parseTrustedProxies(read("trusted-proxies", "TRUSTED_PROXIES", "")),
    corsOrigins: parseOrigins(read("cors-origin", "CORS_ORIGIN", "")),
    hasConsole: parseSwitch(readConsole(flags, environment), "--console (CONSOLE)"),
    connections: readConnections(flags, environment),
  };
}

/** The connections to a database on a server. Throws UsageError. */
export function readConnections(flags: Flags, environment: Environment = Bun.env): ConnectionSettings {
  const count = (flag: string, variable: string, fallback: string, max: number) =>
    parseCount(setting(flags, environment, flag, variable, fallback), `--${flag} (${variable})`, max);
  return {
    readConnections: count("read-connections", "READ_CONNECTIONS", "8", maxConnections),
    writeLanes: count("write-lanes", "WRITE_LANES", "4", maxConnections),
    statementMilliseconds: 1_000 * count("database-timeout", "DATABASE_TIMEOUT", "5", maxTimeoutSeconds),
    prepare: parseBoolean(environment.DATABASE_PREPARE || "true", "DATABASE_PREPARE"),
  };
}

/** The init of System V sets CONSOLE to the path of a device: that is no setting of accountd. */
function readConsole(flags: Flags, environment: Environment): string {
  const CONSOLE = environment.CONSOLE?.startsWith("/") ? undefined : environment.CONSOLE;
  return setting(flags, { CONSOLE }, "console", "CONSOLE", "on");
}

/** An empty variable counts as absent; an empty flag does not. */
function setting(
  flags: Flags,
  environment: Environment,
  flag: string,
  variable: string,
  fallback: string,
): string {
  const value = flags[flag];
  return typeof value === "string" ? value : environment[variable] || fallback;
}

/** A connection string of libpq or ODBC. Taken as a path, it would show its password in the name of a file. */
const connectionString =
  /(?:^|[\s;])(?:host(?:addr)?|server|port|user(?: ?id|name)?|pwd|password|dbname|database|data source|service|sslmode)\s*=/i;

/** Whether a text has no quotes or blanks around it and no control characters: shells and files with CRLF leave them. */
function isPlainText(text: string): boolean {
  return text === text.trim() && !/^["'`]|["'`]$|\p{Cc}/u.test(text);
}

/**
 * The path or the URL of a database. Throws UsageError, with `name` as the subject of its message, which does not
 * repeat the text: it may have a password.
 */
export function parseDatabase(
  text: string,
  name = "The database (--database, DATABASE_URL)",
  environment: Environment = Bun.env,
): string {
  if (isPlainText(text) && urlsOfHosts(text)) return withTlsVariables(text, environment);
  if (!isPlainText(text) || connectionString.test(text))
    throw invalidSetting(
      `${name} must be a path or a postgres: URL, without quotes or blanks around it, control characters, or pairs such as host=… password=….`,
    );
  // It may have a password, so no later message may name it.
  if (/postgres(?:ql)?:?\/\/|^postgres(?:ql)?:|\/\/[^/]*:[^/]*@/i.test(text))
    throw invalidSetting(
      `${name} must be postgres://USER:PASSWORD@HOST/DATABASE. In the password, write %25, %2F, %23, %3F and %40 for %, /, #, ? and @.`,
    );
  const isUrl = /^file:/i.test(text);
  const path = isUrl ? pathOfUrl(text.slice("file:".length)) : text;
  const isOtherUrl = !isUrl && /^[a-z][a-z0-9+.-]+:/i.test(text);
  // SQLite opens "" and ":memory:" without a file. A path in a URL may have encoded control characters.
  if (path !== "" && path !== ":memory:" && isPlainText(path) && !isOtherUrl) return path;
  throw invalidSetting(
    `${name} must be a path or a file: URL, such as data/accountd.db, or a postgres: URL.`,
  );
}

/** The URL with libpq's variables for TLS as parameters, unless it has the parameters. */
function withTlsVariables(url: string, { PGSSLMODE, PGSSLROOTCERT }: Environment): string {
  const added = new URLSearchParams();
  if (PGSSLMODE && !/[?&]ssl(?:mode)?=/.test(url)) added.set("sslmode", PGSSLMODE);
  if (PGSSLROOTCERT && !/[?&]sslrootcert=/.test(url)) added.set("sslrootcert", PGSSLROOTCERT);
  return added.size === 0 ? url : `${url}${url.includes("?") ? "&" : "?"}${added}`;
}

/** The path of a `file:` URL, given without its scheme. Empty for a file of another host. */
function pathOfUrl(withoutScheme: string): string {
  const path = withoutScheme.replace(/^\/\/(?=\/)/, "");
  if (path.startsWith("//") || path.includes("?")) return "";
  try {
    return decodeURIComponent(path);
  } catch {
    return "";
  }
}

/** Names and addresses, with the zone of an IPv6 address. */
const hostPattern = /^(?:[^\s"'[\]/\p{Cc}]+|\[[\p{Hex_Digit}:.]+\])$/u;

/** The name, or the address without brackets. `*` and `::` are all addresses. */
function parseHost(text: string): string {
  // An empty host would listen on every address.
  if (!hostPattern.test(text))
    throw invalidSetting("The host (--host, HOST) must be an address or a name, such as 127.0.0.1.");
  return text.replace(/^\[(.*)\]$/, "$1");
}

function parsePort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw invalidSetting("The port (--port, PORT) must be a number from 0 to 65535.");
}

function parseTrustedProxies(text: string): TrustedProxies {
  const proxies = readTrustedProxies(text);
  if (proxies) return proxies;
  throw invalidSetting(
    "--trusted-proxies (TRUSTED_PROXIES) must be a comma list of addresses and networks, such as 10.0.0.0/8,::1.",
  );
}

function parseOrigins(text: string): readonly string[] {
  const origins = readOrigins(text);
  if (!("fault" in origins)) return origins;
  throw invalidSetting(
    `--cors-origin (CORS_ORIGIN) must be a comma list of origins, such as https://app.example.com, or * for every origin: ${origins.fault}`,
  );
}
