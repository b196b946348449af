/** A clock and a sleep, in milliseconds; tests replace them. */
export type Timer = { elapsed: () => number; sleep: (milliseconds: number) => Promise<void> };

export const systemTimer: Timer = {
  elapsed: () => performance.now(),
  sleep: (milliseconds) => Bun.sleep(milliseconds),
};

/** The pause before the next attempt while another program has a lock, or a queue or a pipe is full. */
export const retryMilliseconds = 5;
/** The interval of polls, and the pause after a failure. */
export const pollMilliseconds = 1_000;
/** The interval of polls while a caller waits. */
export const fastPollMilliseconds = 250;
/** The time that another process may need to start: to create a database and release its lock, and to reply. */
export const startTimeoutMilliseconds = 2_000;
/**
 * The time for which a request waits before it gets 503: for a read (by default, and for a statement of PostgreSQL), the write
 * lock of SQLite, or memory. A server that stops waits as long for its requests.
 */
export const requestTimeoutMilliseconds = 5_000;
/** The time for running work to end during a close. */
export const closeMilliseconds = 1_000;
