const maxPauseMilliseconds = 60_000;
const minIntervalMilliseconds = 1_000;
const maxIntervalMilliseconds = 10_000;

/**
 * The time before the next attempt to read the stream, in milliseconds. It grows with the failures, and is random: a server
 * that is back is not reached by all at once.
 */
export function pauseAfter(failureCount: number, random = Math.random()): number {
  return Math.min(maxPauseMilliseconds, 1_000 * 2 ** failureCount) * (0.5 + random / 2);
}

/**
 * The shortest time between the last reading of a page and the next one, in milliseconds. It grows while one follows the
 * other: many changes in a row are not read a second apart.
 */
export function intervalAfter(interval: number, sinceLast: number): number {
  const isQuiet = sinceLast > 2 * interval;
  return isQuiet ? minIntervalMilliseconds : Math.min(maxIntervalMilliseconds, interval * 1.5);
}
