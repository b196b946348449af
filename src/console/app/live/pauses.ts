const minIntervalMilliseconds = 1_000;
const maxIntervalMilliseconds = 10_000;

/**
 * The shortest time between the last reading of a page and the next one, in milliseconds. It grows while one follows the
 * other: many changes in a row are not read a second apart.
 */
export function intervalAfter(interval: number, sinceLast: number): number {
  const isQuiet = sinceLast > 2 * interval;
  return isQuiet ? minIntervalMilliseconds : Math.min(maxIntervalMilliseconds, interval * 1.5);
}
