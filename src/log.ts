import { millisecondsOfMinute } from "./core/timestamps.ts";
import { escapeControls } from "./shared/control-characters.ts";

export type LogFields = Record<string, string | number | boolean | null | undefined | readonly string[]>;

/** The service's log. It never contains a key or a value that a caller sent. */
export type Log = {
  info(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
};

/** From the least to the most important one. */
export const logLevels = ["info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];
/** A log that also has warnings: failed requests of callers. */
export type LeveledLog = Log & Record<LogLevel, Log["info"]>;
type LogOptions = {
  /** Milliseconds since 1970 UTC. */
  clock: () => number;
  /** Lines of lower levels are not written. Default: info. */
  level?: LogLevel | undefined;
  /** Whether a person reads the lines. */
  isTerminal?: boolean | undefined;
};

/** Writes one JSON object per line: `time`, `level`, `event` and the fields; short lines to a terminal. */
export function createLog(write: (line: string) => void, options: LogOptions): LeveledLog {
  const { clock, level: minLevel = "info", isTerminal = false } = options;
  const format = isTerminal ? terminalLine : jsonLine;
  const writer = (level: LogLevel) => (event: string, fields?: LogFields) => {
    if (logLevels.indexOf(level) < logLevels.indexOf(minLevel)) return;
    write(`${format({ time: new Date(clock()).toISOString(), level, event, fields })}\n`);
  };
  return { info: writer("info"), warn: writer("warn"), error: writer("error") };
}

type LogLine = { time: string; level: LogLevel; event: string; fields: LogFields | undefined };

function jsonLine({ fields, ...line }: LogLine): string {
  return JSON.stringify({ ...line, ...fields });
}

/** Such as `12:30:01 GET /api/v1/accounts/42 200 1.5 ms`, or `12:30:01 error jobs_failed job=scores`. */
function terminalLine({ time, level, event, fields = {} }: LogLine): string {
  const { method, path, status, milliseconds } = fields;
  const pairs = Object.entries(fields).map(([name, value]) => `${name}=${String(value)}`);
  const text =
    event === "request" ? `${method} ${path} ${status} ${milliseconds} ms` : [event, ...pairs].join(" ");
  return escapeControls(`${time.slice(11, 19)} ${level === "info" ? "" : `${level} `}${text}`);
}

/** The stack of an error, or what was thrown in its place. */
export function stackOf(error: unknown): string {
  return error instanceof Error && error.stack ? error.stack : String(error);
}

/** Returns a function that calls `report`, but not within a minute after its last call. `now` is in milliseconds. */
export function oncePerMinute<P extends readonly unknown[]>(
  report: (...parameters: P) => void,
  now: () => number = () => performance.now(),
): (...parameters: P) => void {
  let reportedAt = Number.NEGATIVE_INFINITY;
  return (...parameters) => {
    if (now() - reportedAt < millisecondsOfMinute) return;
    reportedAt = now();
    report(...parameters);
  };
}
