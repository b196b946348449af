/** The browser of the suite: CHROMIUM, or the one of Debian's package `chromium`. */
export const chromiumPath = Bun.env.CHROMIUM ?? "/usr/bin/chromium";
