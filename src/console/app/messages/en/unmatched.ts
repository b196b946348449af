import { formatCount } from "../../format.ts";

const events = (count: number) => `${formatCount(count)} ${count === 1 ? "event" : "events"}`;

export const unmatched = {
  title: "Pending events",
  lead: "These events are of ids that no account has. They are kept for 30 days, and count as soon as an account has the id.",
  find: "Find an id",
  ids: "Unmatched ids",
  id: "Unmatched id",
  events: "Events",
  firstEvent: "First event",
  lastEvent: "Last event",
  noneFound: "No unmatched id has this text",
  noneFoundHint: "Capital and small letters differ here.",
  none: "Every event belongs to an account",
  noneHint: "Ids appear here when events arrive whose id no account has.",

  create: "Create account",
  createFor: (id: string) => `Create account: ${id}`,
  link: "Link to account",
  linkFor: (id: string) => `Link to account: ${id}`,
  findAccount: "Find an account",
  nameOrId: "Name or external id",
  withIds: "Include accounts that have an external id",
  noAccount: "No account found.",
  tryWithIds: "Include accounts that have an external id, or create an account.",
  changedMeanwhile: "The external id of the account was changed meanwhile. Check it, and link again.",
  gets: (id: string, count: number) => `The account gets the external id ${id} and its ${events(count)}.`,
  replaced: (id: string, name: string) =>
    `The external id ${id} of ${name} is replaced. Later events with the old id do not reach this account.`,

  attached: (count: number, id: string) => `Attached ${events(count)} of ${id} to`,
  attachedPart: (count: number, total: number, id: string) =>
    `Attached ${formatCount(count)} of ${events(total)} of ${id} to`,
  attaching: (count: number, id: string) => `Attaching ${events(count)} of ${id} to`,
  inBackground: (count: number) => `The other ${formatCount(count)} follow in the background.`,
};
