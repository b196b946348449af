/** The pages of the console. They need no key: they are one document without data. */
export const consolePages = [
  "/console",
  "/console/accounts",
  "/console/accounts/:accountId",
  "/console/contacts",
  "/console/meetings",
  "/console/requests",
  "/console/unmatched",
  "/console/import",
  "/console/health",
  "/console/keys",
  "/console/webhooks",
  "/console/organization",
] as const;

/** Whether the path is below `/console/` and is neither a file nor a session. */
export function isConsolePath(path: string): boolean {
  return path.startsWith("/console/") && !/^\/console\/(?:assets|session)(?:\/|$)/.test(path);
}
