export type LogFields = Record<string, string | number | boolean | null | undefined | readonly string[]>;

/** The service's log. It never contains a key or a value that a caller sent. */
export type Log = {
  info(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
};

/** Writes one JSON object per line: `time`, `level`, `event` and the fields. */
export function createJsonLog(write: (line: string) => void, clock: () => number): Log {
  const line = (level: string) => (event: string, fields?: LogFields) =>
    write(`${JSON.stringify({ time: new Date(clock()).toISOString(), level, event, ...fields })}\n`);
  return { info: line("info"), error: line("error") };
}

/** The stack of an error, or what was thrown in its place. */
export function stackOf(error: unknown): string {
  return error instanceof Error && error.stack ? error.stack : String(error);
}
