/** A clock and a sleep, in milliseconds; tests replace them. */
export type Timer = { elapsed: () => number; sleep: (milliseconds: number) => Promise<void> };

export const systemTimer: Timer = {
  elapsed: () => performance.now(),
  sleep: (milliseconds) => Bun.sleep(milliseconds),
};

/** The pause before the next attempt while another program has a lock, or a queue is full. */
export const retryMilliseconds = 10;
