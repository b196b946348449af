import { millisecondsOfDay } from "./timestamps.ts";

/** An older event is rejected, and a `messageId` is remembered for as long. */
export const maxEventAgeDays = 35;
/** An event whose `externalId` no account has is pending for as long. */
const maxPendingDays = 30;
/** An event may arrive late, and be pending after that. Until then, the users of a day are needed. */
export const daysUntilFinal = maxEventAgeDays + maxPendingDays;

/** An older day of usage is not imported. */
export const maxImportedDays = 400;

export const maxEventAgeMilliseconds = maxEventAgeDays * millisecondsOfDay;
export const maxPendingMilliseconds = maxPendingDays * millisecondsOfDay;
/** A timestamp that is ahead of the clock by at most this counts as now. */
export const maxClockSkewMilliseconds = 5 * 60_000;
