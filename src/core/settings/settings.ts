import { logLevels } from "../../log.ts";
import { maxEventAgeDays } from "../event-limits.ts";
import { duration, either, form, integer, listenAddress, readHost, type SettingKind } from "./kinds.ts";
import { readNetworks } from "./networks.ts";
import { readOrigins } from "./origins.ts";

/** A setting, by its flag: `--event-days` is EVENT_DAYS in the environment. */
type Setting = SettingKind<unknown> & {
  /** Of the configuration. */
  name: string;
  /** What the help shows for the value. Absent: the flag has no value. */
  value?: string;
  /** Absent: only the environment has it. */
  description?: string;
  /** What the help says after the variable and the default. */
  note?: string;
  default: string;
  /** The default in the help. */
  shownDefault?: string;
};
export type Settings = Readonly<Record<string, Setting>>;

/** The largest number of requests per minute of a key, and of failed authentications from an address. */
export const maxRateLimit = 1_000_000;
const maxDays = 99_999;
const maxConnections = 1_000;
const boolean = either("true", "false", ["1", "0"]);
/** An address of S3, with the bucket and the prefix. */
export const bucketPattern = /^s3:\/\/([a-z0-9][a-z0-9.-]*)(?:\/(.*?)\/?)?$/;
const networks = form("a comma list of addresses and networks, such as 10.0.0.0/8,::1", readNetworks);

export const addressSettings = {
  port: {
    name: "port",
    value: "PORT",
    description: "the port",
    default: "3000",
    ...integer("a number", 0, 65_535),
    limits: "0: any free one",
  },
  host: {
    name: "host",
    value: "HOST",
    description: "the address",
    default: "127.0.0.1",
    // An empty host would listen on every address. `*` and `::` are all addresses.
    ...form("an address or a name, such as 127.0.0.1", readHost),
  },
} as const satisfies Settings;

export const serverSettings = {
  "event-days": {
    name: "eventDays",
    value: "DAYS",
    description: "days for which usage events are kept",
    default: String(maxEventAgeDays),
    // Events must be kept for as long as they are deduplicated.
    ...integer("a whole number of days", maxEventAgeDays, maxDays),
  },
  "change-days": {
    name: "changeDays",
    value: "DAYS",
    description: "days for which changes are kept",
    default: "400",
    ...integer("a whole number of days", 1, maxDays),
  },
  "read-workers": {
    name: "readWorkers",
    value: "N",
    description: "processes for slow reads",
    default: "auto",
    shownDefault: "auto: 3, or 4 with as many cores",
    ...integer("a number of processes", 1, 64, "auto"),
  },
  "max-waiting-bytes": {
    name: "maxWaitingBytes",
    value: "N",
    description: "bytes of request bodies and large responses in memory",
    default: "50331648",
    shownDefault: "48 MiB",
    // With less, no body of the largest size would fit into an organization's half.
    ...integer("a number of bytes", 2_097_152, 999_999_999_999),
    limits: "from 2 MiB",
  },
  "rate-limit": {
    name: "rateLimit",
    value: "N",
    description: "requests per minute of a key without its own limit",
    default: "off",
    ...integer("a number per minute", 1, maxRateLimit, "off"),
  },
  "auth-failure-limit": {
    name: "authFailureLimit",
    value: "N",
    description: "failed authentications per minute and address",
    default: "100",
    ...integer("a number per minute", 0, maxRateLimit),
    limits: "0: no limit",
  },
  "keep-alive": {
    name: "keepAliveSeconds",
    value: "SECONDS",
    description: "how long a connection may be idle after a response",
    note: "Proxies must keep theirs for a shorter time",
    default: "75",
    ...integer("a number of seconds", 10, 255),
  },
  "trusted-proxies": {
    name: "trustedProxies",
    value: "LIST",
    description: "proxies whose X-Forwarded-For, -Proto and -Host are used: addresses and networks",
    default: "",
    ...networks,
  },
  "cors-origin": {
    name: "corsOrigins",
    value: "LIST",
    description: "origins whose pages may send events to /v1/… and /api/v1/events, or * for all",
    default: "",
    ...form("a comma list of origins, such as https://app.example.com, or * for every origin", readOrigins),
  },
  console: {
    name: "hasConsole",
    value: "MODE",
    description: "on or off: whether the console is served at /console",
    default: "on",
    ...either("on", "off"),
  },
  "console-logos": {
    name: "hasConsoleLogos",
    value: "MODE",
    description: "on or off: whether the console loads the logos of accounts from other servers",
    default: "on",
    ...either("on", "off"),
  },
  "webhooks-allow": {
    name: "webhookNetworks",
    value: "LIST",
    description: "addresses and networks that are not public and that webhooks may be sent to",
    default: "",
    ...networks,
  },
  "webhooks-insecure": {
    name: "hasInsecureWebhooks",
    description: "webhooks may be sent to this machine, also with http: for development",
    default: "false",
    ...boolean,
  },
  "backup-dir": {
    name: "backupFolder",
    value: "DIR",
    description: "the folder of the backups that the server makes of a file",
    default: "",
    ...form("a path", (text) => text),
  },
  "backup-to": {
    name: "backupUrl",
    value: "URL",
    description: "where each of these backups is uploaded to: s3://bucket/prefix",
    default: "",
    ...form("s3://BUCKET/PREFIX", (text) => (text === "" || bucketPattern.test(text) ? text : undefined)),
  },
  "backup-every": {
    name: "backupMilliseconds",
    value: "TIME",
    description: "the time between two backups in --backup-dir",
    default: "24h",
    ...duration,
  },
  "backup-keep": {
    name: "backupKeepCount",
    value: "N",
    description: "how many backups are kept in --backup-dir",
    default: "14",
    ...integer("a number", 1, maxDays),
  },
  "log-level": {
    name: "logLevel",
    value: "LEVEL",
    description:
      "the lowest level of the lines of the log: info, warn (also failed requests of callers) or error",
    default: "info",
    ...form("info, warn or error", (text) => logLevels.find((level) => level === text)),
  },
  metrics: {
    name: "metrics",
    value: "ADDRESS",
    description: "the address at which metrics for Prometheus are served at /metrics, such as 127.0.0.1:9464",
    default: "off",
    ...listenAddress,
  },
  "log-requests": {
    name: "hasAccessLog",
    description: "log every request, not only failures",
    default: "false",
    ...boolean,
  },
  "log-failures": {
    name: "hasFailureLog",
    description: "log failed sign-ins and keys with the address of the client, for fail2ban",
    default: "false",
    ...boolean,
  },
} as const satisfies Settings;

/** Of the connections to a database on a server. */
export const connectionSettings = {
  "read-connections": {
    name: "readConnections",
    value: "N",
    description: "connections for reads, to a database on a server",
    default: "8",
    ...integer("a number", 1, maxConnections),
  },
  "write-lanes": {
    name: "writeLanes",
    value: "N",
    description: "connections for writes, to a database on a server",
    default: "4",
    ...integer("a number", 1, maxConnections),
  },
  "database-timeout": {
    name: "statementSeconds",
    value: "SECONDS",
    description: "the time limit of a statement on a server",
    note: "Behind PgBouncer's transaction mode, set DATABASE_PREPARE=false",
    default: "5",
    ...integer("a number", 1, 3_600),
  },
  "database-prepare": { name: "prepare", default: "true", ...boolean },
} as const satisfies Settings;

/** What a server reads, besides the database. */
export const allSettings: Settings = { ...addressSettings, ...serverSettings, ...connectionSettings };

export type SettingValues<T extends Settings> = {
  -readonly [K in keyof T as T[K]["name"]]: ReturnType<T[K]["parse"]>;
};

/** EVENT_DAYS of `event-days`. */
export function variableOf(flag: string): string {
  return flag.toUpperCase().replaceAll("-", "_");
}
