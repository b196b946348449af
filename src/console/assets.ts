import styleSheet from "./dist/main.css" with { type: "file" };
import script from "./dist/main.js" with { type: "file" };

/** A file of the console for browsers. Its path has the hash of its content, so that it can be cached for ever. */
export type ConsoleAsset = {
  path: string;
  type: string;
  bytes: Uint8Array<ArrayBuffer>;
  compressedBytes: Uint8Array<ArrayBuffer>;
};
export type ConsoleAssets = { script: ConsoleAsset; styleSheet: ConsoleAsset };

/** The best compression, which is the slowest: the files are compressed once. */
const compression = { level: 9 } as const;
const hashLength = 16;

let assets: Promise<ConsoleAssets> | undefined;

/** The files of the console. Read and compressed once. */
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
    script: await readAsset(script, "main", "js", "text/javascript; charset=utf-8"),
    styleSheet: await readAsset(styleSheet, "main", "css", "text/css; charset=utf-8"),
  };
}

async function readAsset(file: string, name: string, extension: string, type: string): Promise<ConsoleAsset> {
  const bytes = await Bun.file(file).bytes();
  const hash = Bun.SHA256.hash(bytes, "hex").slice(0, hashLength);
  const path = `/console/assets/${name}-${hash}.${extension}`;
  return { path, type, bytes, compressedBytes: Bun.gzipSync(bytes, compression) };
}
