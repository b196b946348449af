/** The pages of the console. They need no key: they are one document without data. */
export const consolePages = [
  "/console",
  "/console/accounts",
  "/console/accounts/:accountId",
  "/console/unmatched",
  "/console/import",
  "/console/keys",
  "/console/api",
] as const;

/** Whether a path is one that a page of the console could have. */
export function isConsolePath(path: string): boolean {
  return path.startsWith("/console/") && !/^\/console\/(?:assets|session)(?:\/|$)/.test(path);
}
