import { isServerUrl, urlsOfHosts } from "../db/server-url.ts";
import type { ConnectionSettings } from "../db/storage.ts";
import { readConfigFile } from "./core/settings/config-file.ts";
import { invalidSetting } from "./core/settings/kinds.ts";
import {
  addressSettings,
  connectionSettings,
  type Settings,
  type SettingValues,
  serverSettings,
  variableOf,
} from "./core/settings/settings.ts";

export type Flags = Readonly<Record<string, string | boolean | undefined>>;
type Environment = Readonly<Record<string, string | undefined>>;

export type Address = SettingValues<typeof addressSettings>;
export type ServerConfig = Address &
  SettingValues<typeof serverSettings> & {
    /** The path of the database, or its `postgres:` URL. */
    database: string;
    /** Of a database on a server. */
    connections: ConnectionSettings;
  };

/** The variables that a configuration file set, with its path. */
const setByFile = new Map<string, string>();

/** The variable of a setting: DATABASE_URL of `database`. */
export function variableOfSetting(name: string): string {
  return name === "database" ? "DATABASE_URL" : variableOf(name);
}

/** Sets the variables of the settings in a TOML file, unless they are set. Throws UsageError. */
export function loadConfigFile(
  path: string,
  environment: Record<string, string | undefined> = Bun.env,
): void {
  for (const [name, text] of readConfigFile(path)) {
    const variable = variableOfSetting(name);
    if (isSet(variable, environment)) continue;
    environment[variable] = text;
    setByFile.set(variable, path);
  }
}

/** What sets a setting, and its text: a flag, a variable, the path of a file, or `default`. */
export function originOf(
  name: string,
  initial: string,
  flags: Flags,
  environment: Environment = Bun.env,
): { origin: string; text: string } {
  const variable = variableOfSetting(name);
  const { [name]: flag } = flags;
  if (flag !== undefined) return { origin: `--${name}`, text: String(flag) };
  if (!isSet(variable, environment)) return { origin: "default", text: initial };
  return { origin: setByFile.get(variable) ?? variable, text: environment[variable] ?? "" };
}

/** Whether a variable is not empty. CONSOLE is ignored if it is a device: the init of System V sets it. */
function isSet(variable: string, environment: Environment): boolean {
  const value = environment[variable];
  return Boolean(value) && !(variable === "CONSOLE" && value?.startsWith("/"));
}

/** The values of settings. A flag has priority over a variable. Throws UsageError. */
function readSettings<T extends Settings>(
  settings: T,
  flags: Flags,
  environment: Environment,
): SettingValues<T> {
  const values = Object.entries(settings).map(([flag, { name, default: initial, parse }]) => {
    const variable = variableOf(flag);
    const { [flag]: value } = flags;
    if (value === true) return [name, true];
    const setText = isSet(variable, environment) ? environment[variable] : undefined;
    const text = typeof value === "string" ? value : (setText ?? initial);
    return [name, parse(text, `--${flag} (${variable})`)];
  });
  // Safe: the names and the values of the settings.
  return Object.fromEntries(values) as SettingValues<T>;
}

/**
 * The path of the database, or its `postgres:` URL. A flag takes precedence over the environment. Throws UsageError for
 * an invalid one.
 */
export function readDatabase(
  flags: Flags,
  environment: Environment = Bun.env,
  defaultDatabase = "data/accountd.db",
): string {
  const { database } = flags;
  const text = typeof database === "string" ? database : environment.DATABASE_URL || defaultDatabase;
  return parseDatabase(text, undefined, environment);
}

/** The address to listen on. Throws UsageError. */
export function readAddress(flags: Flags, environment: Environment = Bun.env): Address {
  return readSettings(addressSettings, flags, environment);
}

/** All settings of a server process. Throws UsageError. */
export function readServerConfig(
  flags: Flags,
  environment: Environment = Bun.env,
  defaultDatabase?: string,
): ServerConfig {
  const settings = readSettings(serverSettings, flags, environment);
  const database = readDatabase(flags, environment, defaultDatabase);
  if (settings.backupUrl !== "" && settings.backupFolder === "")
    throw invalidSetting("--backup-to needs --backup-dir.");
  if (settings.backupFolder !== "" && isServerUrl(database))
    throw invalidSetting("--backup-dir is for a SQLite file. Use pg_dump.");
  return {
    database,
    ...readAddress(flags, environment),
    ...settings,
    connections: readConnections(flags, environment),
  };
}

/** The connections to a database on a server. Throws UsageError. */
export function readConnections(flags: Flags, environment: Environment = Bun.env): ConnectionSettings {
  const { statementSeconds, ...settings } = readSettings(connectionSettings, flags, environment);
  return { ...settings, statementMilliseconds: 1_000 * statementSeconds };
}

/** Whether requests are traced. The SDK of OpenTelemetry reads the other variables. */
export function hasTracing(environment: Environment = Bun.env): boolean {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: all, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: traces } = environment;
  return Boolean(all || traces) && environment.OTEL_SDK_DISABLED?.toLowerCase() !== "true";
}

/** The environment for a command that the server runs: it may have the credentials of an upload. */
export function inheritedEnvironment(): Record<string, string | undefined> {
  return { ...Bun.env };
}

/** For clients that read NODE_TLS_REJECT_UNAUTHORIZED for each connection and have no option against it. */
export function verifyCertificates(): void {
  delete Bun.env.NODE_TLS_REJECT_UNAUTHORIZED;
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
  if (/postgres(?:ql)?:?\/\/|^postgres(?:ql)?:|(?:^(?!file:)|\/\/)[^/]*:[^/]*@/i.test(text))
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
