/** A command line that cannot be understood: the message says what to write instead. */
export class UsageError extends Error {}

type Flags = Readonly<Record<string, string | boolean | undefined>>;

export type Config = {
  /** The database's file. */
  database: string;
  host: string;
  /** 0 picks a free one. */
  port: number;
  /** Log a line for each request, not for failures alone. */
  logRequests: boolean;
  /** For how many days usage events are kept; their days' counts are kept for ever. */
  eventDays: number;
};

/** One typed value of what flags and environment say; a flag wins. Throws UsageError. */
export function readConfig(
  flags: Flags,
  environment: Readonly<Record<string, string | undefined>> = Bun.env,
  defaultDatabase = "data/accountd.db",
): Config {
  const setting = (flag: string, variable: string, fallback: string): string => {
    const given = flags[flag];
    return typeof given === "string" ? given : environment[variable] || fallback;
  };
  return {
    database: fileOf(setting("database", "DATABASE_URL", defaultDatabase)),
    host: hostOf(setting("host", "HOST", "127.0.0.1")),
    port: portOf(setting("port", "PORT", "3000")),
    logRequests:
      isTrue(setting("log-requests", "LOG_REQUESTS", "false"), "LOG_REQUESTS") ||
      flags["log-requests"] === true,
    eventDays: daysOf(setting("event-days", "EVENT_DAYS", String(fewestDays))),
  };
}

function fileOf(text: string): string {
  const isUrl = /^file:/i.test(text);
  const path = isUrl ? pathOf(text.slice("file:".length)) : text;
  const isOtherUrl = !isUrl && /^[a-z][a-z0-9+.-]+:/i.test(text);
  // SQLite takes the first two for a database that is in no file, and a NUL for the end of the name.
  if (path !== "" && path !== ":memory:" && !path.includes("\0") && !isOtherUrl) return path;
  throw new UsageError("The database must be a path or a file: URL, such as data/accountd.db.");
}

/** The path of a file: URL, given without its scheme; empty when it names none on this machine. */
function pathOf(rest: string): string {
  const path = rest.replace(/^\/\/(?=\/)/, "");
  if (path.startsWith("//") || path.includes("?")) return "";
  try {
    return decodeURIComponent(path);
  } catch {
    return "";
  }
}

function hostOf(text: string): string {
  // An empty one would serve on every address.
  if (text !== "") return text;
  throw new UsageError("The host must be an address or a name, such as 127.0.0.1.");
}

function portOf(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new UsageError("The port must be a number from 0 to 65535.");
}

/** As long as a second copy of an event is told by the first. */
const fewestDays = 35;

function daysOf(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) >= fewestDays) return Number(text);
  throw new UsageError(
    `Events are kept for a whole number of days, ${fewestDays} at least: second copies are told by them.`,
  );
}

function isTrue(text: string, name: string): boolean {
  if (/^(true|1)$/i.test(text)) return true;
  if (/^(false|0)$/i.test(text)) return false;
  throw new UsageError(`${name} must be true or false.`);
}
