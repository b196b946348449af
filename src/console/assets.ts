import { markAddress } from "../shared/mark.ts";
import styleSheet from "./dist/main.css.gz" with { type: "file" };
import script from "./dist/main.js.gz" with { type: "file" };

/** A file of the console for browsers, in gzip at `path`. Its address has the hash of its content, so that it can be cached for ever. */
type ConsoleAsset = { address: string; type: string; path: string };
type ConsoleAssets = { script: ConsoleAsset; styleSheet: ConsoleAsset };

const hashLength = 16;

let assets: Promise<ConsoleAssets> | undefined;

/** The files of the console. Read once. */
export async function readConsoleAssets(): Promise<ConsoleAssets> {
  assets ??= readAssets();
  try {
    return await assets;
  } catch (error) {
    // The next request tries again.
    assets = undefined;
    throw error;
  }
}

async function readAssets(): Promise<ConsoleAssets> {
  return {
    script: await readAsset(script, "js", "text/javascript; charset=utf-8"),
    styleSheet: await readAsset(styleSheet, "css", "text/css; charset=utf-8"),
  };
}

async function readAsset(path: string, extension: string, type: string): Promise<ConsoleAsset> {
  const bytes = Bun.gunzipSync(await Bun.file(path).bytes());
  const hash = Bun.SHA256.hash(bytes, "hex").slice(0, hashLength);
  return { path, type, address: `/console/assets/main-${hash}.${extension}` };
}

/**
 * The one document of all pages of the console: the script shows the page of the path. Without logos, the script makes no
 * images that the policy would block.
 */
export function consolePage({ script, styleSheet }: ConsoleAssets, hasLogos: boolean): string {
  return `<!doctype html>
<html lang="en"${hasLogos ? "" : ' data-logos="off"'}>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>accountd</title>
<link rel="icon" href="${markAddress}">
<link rel="stylesheet" href="${styleSheet.address}">
<div id="console"></div>
<noscript>The console needs JavaScript. The API is described at <a href="/docs">/docs</a>.</noscript>
<script type="module" src="${script.address}"></script>
</html>
`;
}

/**
 * The headers of a page: scripts, styles and data from this service only; no frame, no form and no other window has access.
 * Logos are images of any server with TLS.
 */
export function pageHeadersOf(hasLogos: boolean) {
  const images = hasLogos ? "'self' data: https:" : "'self' data:";
  return {
    "content-security-policy": `default-src 'none'; script-src 'self'; style-src 'self'; img-src ${images}; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    "content-type": "text/html; charset=utf-8",
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
  };
}
