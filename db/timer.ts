/** A clock and a sleep, in milliseconds; tests replace them. */
export type Timer = { elapsed: () => number; sleep: (milliseconds: number) => Promise<void> };

export const systemTimer: Timer = {
  elapsed: () => performance.now(),
  sleep: (milliseconds) => Bun.sleep(milliseconds),
};

/** The pause before the next attempt while another program has a lock, or a queue or a pipe is full. */
export const retryMilliseconds = 5;
/** The pause between two looks at what is not reported, and before the next attempt at what has failed. */
export const pollMilliseconds = 1_000;
/** The pause between two looks while somebody waits for what they find. */
export const fastPollMilliseconds = 250;
