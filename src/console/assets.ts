import styleSheet from "./dist/main.css.gz" with { type: "file" };
import script from "./dist/main.js.gz" with { type: "file" };

/** A file of the console for browsers, in gzip at `path`. Its address has the hash of its content, so that it can be cached for ever. */
type ConsoleAsset = { address: string; type: string; path: string };
export type ConsoleAssets = { script: ConsoleAsset; styleSheet: ConsoleAsset };

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
