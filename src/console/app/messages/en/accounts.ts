import { formatCount } from "../../format.ts";

/** The table of accounts and the dialog that creates one. */
export const accounts = {
  create: "Create account",
  externalIdHint:
    "The external id is the account's id in your own systems. Usage events name the account by it.",
  table: "Table of accounts",
  health: "Health",
  never: "Never",
  activity: (time: string, source: string) => `${time}, ${source}`,
  noMatch: "No account matches",
  changeSearch: "Change the search or remove a filter.",
  clearAll: "Clear search and filters",
  noMore: "No more accounts",
  none: "No accounts yet",
  createFirst: "Create the first account, or",
  importFile: "import a CSV file",
  cannotCreate: "Your key can only read. Sign in with one that can write to create accounts.",
  export: "Export CSV",
  cancelExport: "Cancel export",
  exporting: (bytes: string) => `Exporting, ${bytes}`,
  pages: "Pages of the table",
  keys: { rows: "rows", open: "open", select: "select", pages: "pages", search: "search" },
  firstPage: "First page",
  previous: "Previous",
  next: "Next",
  noRows: "No accounts",
  range: (first: number, last: number) => `${formatCount(first)}–${formatCount(last)}`,
  rangeOf: (range: string, total: number) => `${range} of ${formatCount(total)}`,
  sum: (mrr: string) => `Sum of MRR ${mrr}`,
  of: (total: number) => `Of ${formatCount(total)}`,
};
