/** The frame of every page. */
export const shell = {
  skip: "Skip to the content",
  pages: "Pages",
  unnamedKey: "Key",
  signOut: "Sign out",
  signOutEverywhere: "Sign out everywhere",
  theme: "Theme",
  themes: { system: "System", light: "Light", dark: "Dark" },
};
