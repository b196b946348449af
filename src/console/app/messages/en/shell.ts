/** The frame of every page. */
export const shell = {
  skip: "Skip to the content",
  pages: "Pages",
  settings: "Settings",
  reference: "API reference",
  search: "Search",
  searchKeys: "Ctrl K",
  searchKeysOnMac: "⌘ K",
  createAccount: "New account",
  unnamedKey: "Key",
  signOut: "Sign out",
  signOutEverywhere: "Sign out everywhere",
  signOutFailed: "You are still signed in",
  backupFailed: (time: string) =>
    `The last backup of the server failed (${time}). The cause is in the log of the server, at backup_failed.`,
  theme: "Theme",
  themeIs: (theme: string) => `Theme: ${theme.toLowerCase()}`,
  themes: { system: "System", light: "Light", dark: "Dark" },
};
