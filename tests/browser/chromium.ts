import { existsSync } from "node:fs";

/** Chromium without windows, which needs about half of the processor time, and with them: Debian's packages. */
const installed = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

/** The browser of the suite: CHROMIUM, or the first one that is installed. */
export const chromiumPath =
  Bun.env.CHROMIUM ?? installed.find((path) => existsSync(path)) ?? "/usr/bin/chromium";
