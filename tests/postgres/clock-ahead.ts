const { now } = Date;

/** Preloaded by a process whose clock is 40 days ahead. */
Date.now = () => now() + 40 * 24 * 3_600_000;
