import {
  closeSync,
  createReadStream,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from "node:fs";
import { basename } from "node:path";
import { errorCode, UnusableDatabase } from "../../errors.ts";

/** The SHA-256 of a file, in hexadecimal digits. */
export async function hashFile(path: string): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256");
  for await (const chunk of createReadStream(path, { highWaterMark: 1_048_576 })) hasher.update(chunk);
  return hasher.digest("hex");
}

/** Writes `FILE.sha256` for `sha256sum --check`, durably. */
export function writeChecksum(path: string, hash: string): void {
  const temporary = `${path}.sha256.unfinished`;
  const descriptor = openSync(temporary, "w", 0o600);
  writeSync(descriptor, `${hash}  ${basename(path)}\n`);
  fsyncSync(descriptor);
  closeSync(descriptor);
  renameSync(temporary, `${path}.sha256`);
}

/** Returns whether there is a `FILE.sha256`. Throws UnusableDatabase if the file has another hash. */
export async function verifyChecksum(path: string): Promise<boolean> {
  let text: string;
  try {
    text = readFileSync(`${path}.sha256`, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
  if (text.slice(0, 64) === (await hashFile(path))) return true;
  throw new UnusableDatabase(
    `${path} is damaged: its SHA-256 differs from ${path}.sha256. Use another backup.`,
  );
}
