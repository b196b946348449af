import { formatCount } from "../../format.ts";

const days = (count: number) => (count === 1 ? "1 day" : `${count} days`);

/** The search, the filters and the columns of the table of accounts. */
export const accountFilters = {
  section: "Search and filters",
  search: "Search name or external id",
  filters: (count: number) => (count === 0 ? "Filters" : `Filters (${count})`),
  accounts: (count: number) => (count === 1 ? "1 account" : `${formatCount(count)} accounts`),
  columns: "Columns",
  resetColumns: "Reset",
  inEffect: "Filters in effect",
  remove: (filter: string) => `Remove the filter ${filter}`,
  clear: "Clear filters",
  apply: "Apply",
  from: (label: string) => `${label} from`,
  to: (label: string) => `${label} to`,
  rangeFault: (label: string) => `${label} from is larger than ${label} to: no account matches.`,
  ages: { anyTime: "Any time", never: "Never" },
  /** Before and after the field for the number of days. */
  within: ["Within the last", "days"],
  over: ["More than", "days ago"],
  days: "Days",
  /** A filter in effect, after the label of its field. */
  effects: {
    from: (value: string) => `from ${value}`,
    to: (value: string) => `up to ${value}`,
    range: (from: string, to: string) => `${from} to ${to}`,
    never: "never",
    within: (count: number) => `within ${days(count)}`,
    over: (count: number) => `more than ${days(count)} ago`,
  },
  comparison: "Comparison",
  values: "Values, separated by commas",
  dateHint: "A date such as 2026-12-31, or a distance from today: today, 90d or -30d.",
  tooManyAttributes: (max: number) => `A table has at most ${max} filters by attributes. Remove one first.`,
  add: "Add filter",
  operators: {
    eq: "is",
    contains: "contains",
    gt: "is greater than",
    gte: "is at least",
    lt: "is less than",
    lte: "is at most",
    in: "is one of",
    none: "is not set",
  },
  dateOperators: { gt: "is after", gte: "is at the earliest", lt: "is before", lte: "is at the latest" },
  daysAhead: (count: number) => `in ${days(count)}`,
  daysAgo: (count: number) => `${days(count)} ago`,
};
