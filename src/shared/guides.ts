/** The documents of `docs/` in the order in which somebody new reads them: their titles, and what they are about. */
export const guides = {
  api: { title: "Using the API", about: "lists, filters, writes, errors and limits, with examples" },
  recipes: { title: "Recipes", about: "ten programs for common tasks" },
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
