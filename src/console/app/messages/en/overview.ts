import { subResourceList } from "../../../../shared/resources.ts";
import { formatCount, formatDay, formatPercent, formatTime } from "../../format.ts";

const accounts = (count: number) => `${formatCount(count)} ${count === 1 ? "account" : "accounts"}`;
const events = (count: number) => `${formatCount(count)} ${count === 1 ? "event" : "events"}`;

export const overview = {
  title: "Overview",
  asOf: (timestamp: string) => `Health as of ${formatTime(timestamp)}`,
  health: "Health",
  share: "Share",

  risk: {
    title: "MRR at risk",
    all: "All accounts at risk",
    shareOf: (share: number, count: number) =>
      `${formatPercent(share)} of MRR, ${accounts(count)} at risk or critical`,
    largest: "Largest accounts at risk",
    none: "No account is at risk",
    noneHint: "Active accounts with a low score are listed here, the largest MRR first.",
  },
  moves: {
    title: "Fell to a lower tier",
    falls: (count: number) => `${count === 1 ? "account" : "accounts"} in the last 7 days`,
    noFalls: "No account fell to a lower tier in the last 7 days.",
    rises: (count: number) => `Rose to a higher tier: ${accounts(count)}`,
    more: (count: number) => `Show more (${formatCount(count)})`,
    to: "to",
    deleted: "Deleted account",
    cut: "There are too many changes to list all of these accounts. More of them may have moved.",
  },
  tiers: {
    title: "Accounts by health",
    scope: "Active and onboarding accounts",
  },
  distribution: {
    title: "Score distribution",
    none: "No account has a score yet",
    noneHint: "A score needs a last activity, usage events, meetings or requests.",
    image: (bands: string) => `Accounts by score. ${bands}`,
    band: (name: string, count: number) => `${name}: ${formatCount(count)}`,
    bandOfTier: (name: string, tier: string, count: number) =>
      `Scores ${name}, ${tier}: ${formatCount(count)}`,
  },
  usage: {
    title: "Events per day",
    series: "Events",
    total: (count: number, days: number) => `${events(count)} in ${formatCount(days)} days`,
    cutSince: (count: number, day: string) =>
      `${events(count)} since ${formatDay(day)}. Days before have too many different events.`,
    cut: "There are too many different events to add up here.",
    none: "No events in the last 90 days",
    noneHint: "Send usage events from your product. Examples:",
  },
  statuses: { title: "Accounts by status" },
  changes: {
    title: "Changes in the last 7 days",
    newScores: (count: number) => `${formatCount(count)} new ${count === 1 ? "score" : "scores"}`,
    none: "Nothing changed",
    noneHint: `Changes of accounts, ${subResourceList} are counted here.`,
    resource: "Changed",
    created: "Created",
    updated: "Updated",
    deleted: "Deleted",
  },
  pending: {
    all: "All unmatched ids",
    none: "Every event belongs to an account.",
    ids: (count: number) =>
      `${count === 1 ? "unmatched id" : "unmatched ids"}. Their events count as soon as an account has the id.`,
  },
  firstSteps: {
    title: (organization: string) => `${organization} has no accounts yet`,
    add: "Add accounts",
    addHint:
      "Import a CSV file of your customers, with an external id for each: the id that your product uses.",
    import: "Import accounts",
    create: "Create one account",
    cannotAdd: "This key cannot add accounts. Sign in with a key that may change data.",
    send: "Send usage events",
    sendHint: "Name the account by its external id. Replace YOUR_KEY by a key that may send events.",
    read: "Read the health",
    readHint: "Scores appear here as soon as a last activity, usage, meetings or requests are known.",
  },
};
