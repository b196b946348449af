/** The documents of `docs/` in the order in which somebody new reads them: their titles, and what they are about. */
export const guides = {
  concepts: { title: "Concepts", about: "organization, account, event, score and change, on one page" },
  "first-session": { title: "First session", about: "a server, and the API in nine requests" },
  "move-from-spreadsheets": {
    title: "From spreadsheets",
    about: "import a sheet, and ask what it could not",
  },
  "crm-and-warehouse": {
    title: "CRM and warehouse",
    about: "accounts and usage in, scores out, every night",
  },
  "watch-usage": { title: "Watch usage", about: "send events, and ask who stops using the product" },
  api: { title: "Using the API", about: "lists, filters, writes, errors and limits, with examples" },
  webhooks: { title: "Webhooks", about: "changes sent to your programs and to Slack, or as a stream" },
  recipes: { title: "Recipes", about: "programs for common tasks" },
  console: { title: "Console", about: "look at accounts, health and usage in a browser" },
  operations: { title: "Operations", about: "deploy, configure, back up and upgrade" },
  scaling: { title: "Scaling", about: "SQLite or PostgreSQL, one server or several" },
  performance: { title: "Performance", about: "how fast, and how it was measured" },
  reliability: { title: "Reliability", about: "which failures are tested, and how often" },
  architecture: { title: "Architecture", about: "for those who change the code" },
} as const;
export type GuideName = keyof typeof guides;
// Safe: the keys of the table.
export const guideNames = Object.keys(guides) as GuideName[];
