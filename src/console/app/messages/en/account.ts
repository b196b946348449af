import { subResourceNames } from "../../../../shared/resources.ts";
import { formatDays, formatNumber, formatPercent } from "../../format.ts";

/** The page of an account. */
export const account = {
  back: "← Accounts",
  title: "Account",
  summary: "Summary",
  logo: "Logo",
  clearPin: "Clear the pinned time",
  clearPinText: "The last activity then comes from meetings, usage and other sources again.",
  unpinned: "Cleared",
  edit: "Edit account",
  remove: "Delete account",
  removed: "Deleted",
  removeText: {
    before: "Delete ",
    after: ` with its ${subResourceNames.join(", ")}, usage and scores? This cannot be undone.`,
  },
  logContact: "Log a contact",
  when: "When",
  pinnedHint: "The last activity is pinned: clear it first, so that this contact counts.",
  missing: {
    title: "Account not found",
    text: "There is no account at this address",
    advice: "It may have been deleted. ",
    link: "Show all accounts",
  },
  sources: { api: "pinned", event: "usage event", meeting: "meeting" },
  attributes: {
    edit: "Edit attributes",
    empty: "No attributes yet",
    advice: "Add your own fields, such as an owner, a plan or a renewal date.",
  },
  rows: {
    actionOn: (action: string, name: string) => `${action} ${name}`,
    removeText: { before: "Delete ", after: "? This cannot be undone." },
    contacts: { all: { title: "", empty: "No contacts yet. Add the people that you talk to." } },
    meetings: {
      next: { title: "Now and next", empty: "No upcoming meetings." },
      past: { title: "Past", empty: "" },
    },
    requests: {
      open: { title: "Open", empty: "No open requests." },
      closed: { title: "Done and declined", empty: "" },
    },
  },
  health: {
    title: "Health",
    factors: "Factors",
    full: (limit: string) => `Full score ${limit}.`,
    pending: (count: string) => `${count} earlier events are being counted. The score changes after that.`,
    nothing: "No factor is known yet",
    nothingAdvice: "Send usage events, or log contacts, meetings and requests.",
    details: "How the score is computed",
    coverage: (share: string) => `${share} of the weight is known, as of `,
    factor: "Factor",
    weight: "Weight",
    points: "Points",
    pointsOf: (points: string, share: string) => `${points} of ${share}`,
    uncounted: "not counted",
    off: (name: string) => `${name}: switched off in the health settings.`,
    otherwise: (score: string) => `else ${score}`,
    names: {
      contactActivity: "Last activity",
      usageRecency: "Last usage",
      usageTrend: "Usage trend",
      openRequests: "Open requests",
      meetings: "Meetings",
      requestResolution: "Time to resolve requests",
    },
    /** The value of a factor. */
    values: {
      contactActivity: (value: number) => `Last activity ${ageText(value)}.`,
      usageRecency: (value: number) => `Last usage ${ageText(value)}.`,
      usageTrend: (value: number) =>
        value === 0
          ? "No or almost no usage in the 14 days before today."
          : `Usage is ${formatPercent(value)} of the two weeks before.`,
      openRequests: (value: number) =>
        value === 0 ? "No open requests." : `Open requests with a total severity of ${formatNumber(value)}.`,
      meetings: (value: number) =>
        value === 1 ? "1 meeting in 180 days." : `${formatNumber(value)} meetings in 180 days.`,
      requestResolution: (value: number) =>
        `Requests were open for ${formatDays(rounded(value))} on average.`,
    },
    /** What gives a factor a score: a threshold of it. */
    limits: {
      contactActivity: (limit: number) => `within ${formatDays(limit)}`,
      usageRecency: (limit: number) => `within ${formatDays(limit)}`,
      usageTrend: (limit: number) => `from ${formatPercent(limit)}`,
      openRequests: (limit: number) => (limit === 0 ? "with none" : `up to ${formatNumber(limit)}`),
      meetings: (limit: number) => `from ${formatNumber(limit)}`,
      requestResolution: (limit: number) => `within ${formatDays(limit)}`,
    },
    unknown: {
      contactActivity: "No activity is known yet.",
      usageRecency: "No usage yet.",
      usageTrend: "No usage two to four weeks ago to compare with.",
      openRequests: "Your organization has no requests yet.",
      meetings: "Your organization has no meetings yet.",
      requestResolution: "No request is open, and none was resolved within 90 days.",
    },
    /** When a factor is part of the score. */
    counts: {
      contactActivity: "Counts as soon as any activity is known.",
      usageRecency: "Counts from the first usage event.",
      usageTrend: "Counts with usage two to four weeks ago, or without any since.",
      openRequests: "Counts from your organization's first request.",
      meetings: "Counts from your organization's first meeting.",
      requestResolution: "Counts while requests are open, or were resolved within 90 days.",
    },
  },
  outcomes: {
    label: "What would change the score",
    title: "What would change it",
    hint: "Each line: all other factors stay as they are.",
    raises: "Would raise it",
    lowers: "Would lower it",
    gives: "Would give a score",
    pinned: "The last activity is pinned. Other sources do not count until it is cleared.",
    withoutScore: {
      churned: "A churned account has no score.",
      inactive: "An inactive account has no score.",
    },
    noScore: "As an active account it would have none either: less than 30% of the weight is known.",
    activeScore: (score: string) => `As an active account it would have a score of ${score}.`,
    score: (score: string) => `score ${score}`,
    firstMeeting: "A first meeting of your organization",
    firstMeetingReason: "From then on, meetings count for every account.",
    contact: (days: number) => `A contact within the last ${formatDays(days)}`,
    event: "A usage event now",
    eventAsContact: "A usage event now, which also counts as contact",
    noContactOrEvent: (time: string) => `No contact and no usage event until ${time}`,
    noContact: (time: string) => `No contact until ${time}`,
    noEvent: (days: number) => `No usage event until ${formatDays(days)} after the last one`,
    trend: (range: string) => `Usage ${range} of the two weeks before`,
    below: (limit: string) => `under ${limit}`,
    atLeast: (limit: string) => `at ${limit} or more`,
    between: (from: string, to: string) => `at ${from} to ${to}`,
    moreMeetings: (count: number) =>
      count === 1 ? "1 more meeting" : `${formatNumber(count)} more meetings`,
    openLess: (days: number) => `Requests open for less than ${formatDays(days)} on average`,
    openBetween: (from: number, to: number) =>
      `Requests open for ${formatNumber(from)} to ${formatDays(to)} on average`,
    noRequests: "No open requests",
    severityFrom: (least: number) => `Open requests with a total severity of ${least} or more`,
    severity: (least: number, most: number) => `Open requests with a total severity of ${least} to ${most}`,
  },
  scores: {
    title: (days: number) => `Score over the last ${days} days`,
    empty: (days: number) => `No score in the last ${days} days`,
    advice: "The card “Health” shows what would give one.",
  },
  usage: {
    title: "Usage",
    ranges: "Days of usage",
    range: (days: number) => `${days} days`,
    events: "Events by day",
    users: "Distinct users by event and day",
    others: (count: string) => `Other events (${count})`,
    empty: (days: number) => `No usage in the last ${days} days`,
    advice: "Send events with the external id or the id of this account: ",
    endpoint: "POST /api/v1/events",
    tooMany: "There are too many different events to show here.",
    cut: (day: string) => `Days after ${day} have too many different events. Choose fewer days.`,
  },
  history: {
    title: "History",
    noun: "changes",
    empty: "No changes are stored",
    tierChanged: "Tier changed",
    actions: { created: "created", updated: "updated", deleted: "deleted" },
    change: (noun: string, action: string, name: string) => `${noun} ${action}: ${name}`,
    changeOfAccount: (noun: string, action: string) => `${noun} ${action}`,
    key: (id: number) => `Key ${id}`,
    cli: "Command line",
    system: "accountd",
  },
};

function ageText(days: number): string {
  return days < 1 ? "less than a day ago" : `${formatDays(rounded(days))} ago`;
}

/** Up, where it matters: an age that is above a limit is shown above it. */
function rounded(days: number): number {
  return days < 10 ? Math.ceil(days * 10) / 10 : Math.floor(days);
}
