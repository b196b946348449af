import { accountFields, accountStatuses } from "../../shared/fields/accounts.ts";

/** The statuses of an account in the order of its life, and their names on the screen. */
export const statuses = accountStatuses;
export type Status = (typeof statuses)[number];
export const statusNames: Readonly<Record<Status, string>> = accountFields.status.valueLabels;
