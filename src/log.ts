export type LogFields = Record<string, string | number | boolean | null | undefined>;

/** Where the service says what happens to it. Never a key, nor a value that a caller sent. */
export type Log = {
  info(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
};

/** One JSON object a line, for the journal and for programs: `time`, `level`, `event`, and the fields. */
export function jsonLog(write: (line: string) => void, clock: () => number): Log {
  const line = (level: string) => (event: string, fields?: LogFields) =>
    write(`${JSON.stringify({ time: new Date(clock()).toISOString(), level, event, ...fields })}\n`);
  return { info: line("info"), error: line("error") };
}
