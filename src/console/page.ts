import type { ConsoleAssets } from "./assets.ts";

/** The one document of all pages of the console: the script shows the page of the path. */
export function consolePage({ script, styleSheet }: ConsoleAssets): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>accountd</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${styleSheet.address}">
<div id="console"></div>
<noscript>The console needs JavaScript. The API is described at <a href="/docs">/docs</a>.</noscript>
<script type="module" src="${script.address}"></script>
</html>
`;
}

/** Scripts, styles, images and data from this service only; no frame, no form and no other window has access. */
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export const pageHeaders = {
  "content-security-policy": contentSecurityPolicy,
  "content-type": "text/html; charset=utf-8",
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
} as const;
