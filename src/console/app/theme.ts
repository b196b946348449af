/** The colour scheme: the system's, or the one that was chosen here. */
export type Theme = "system" | "light" | "dark";

const storageKey = "accountd-theme";

export function readTheme(): Theme {
  const stored = localStorage.getItem(storageKey);
  return stored === "light" || stored === "dark" ? stored : "system";
}

/** Applies and stores the theme. Plots are drawn again after the event `themechange`. */
export function applyTheme(theme: Theme): void {
  if (theme === "system") {
    localStorage.removeItem(storageKey);
    delete document.documentElement.dataset.theme;
  } else {
    localStorage.setItem(storageKey, theme);
    document.documentElement.dataset.theme = theme;
  }
  dispatchEvent(new Event("themechange"));
}

/** The value of a custom property, such as `--healthy`, for drawings on a canvas. */
export function colorOf(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
