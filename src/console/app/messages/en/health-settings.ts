import { formatCount } from "../../format.ts";

export const healthSettings = {
  title: "Health score",
  lead: "The score of an account is the average of what is known about it, from 0 to 100. A larger weight counts more. Meetings and requests count for every account as soon as your organization has one, which can lower scores once.",
  form: "Settings",
  factors: "Factors",
  factor: "What counts",
  weight: "Weight",
  weightOf: (factor: string) => `Weight of ${factor}`,
  points: (score: number) => `${score} points`,
  pointsOf: (factor: string, score: number) => `${factor}: ${score} points`,
  rest: "Any other value has 20 points.",
  /** Before a number: which values have the points. */
  under: "under",
  upTo: "up to",
  atLeast: "from",
  descriptions: {
    contactActivity: "Days since the last activity with the customer",
    usageRecency: "Days since the product was last used",
    usageTrend: "Use in 14 days, compared with the 14 days before: 1 is the same, 0.5 is half",
    openRequests: "Severities of the open requests, added up",
    meetings: "Meetings in 180 days",
    requestResolution: "Days until a request is done, on average",
  },
  tierFrom: (tier: string) => `${tier} from`,
  preview: "Preview",
  defaults: "Back to defaults",
  readOnly: "A key of an administrator can change these settings.",

  tiers: "Accounts by health",
  previewTiers: "Accounts by health with these settings",
  accountsNow: "Accounts now",
  mrrNow: "MRR now",
  accountsThen: "Accounts then",
  mrrThen: "MRR then",
  sampled: (count: number) => `Estimated from ${formatCount(count)} accounts.`,
};
