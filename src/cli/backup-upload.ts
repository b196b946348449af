import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { verifyCertificates } from "../config.ts";
import { OperatorError, UsageError } from "../core/settings/operator-error.ts";
import { bucketPattern } from "../core/settings/settings.ts";
import { surplusBackups } from "../server/backup-names.ts";
import { erasureLogName } from "../server/erasure-log.ts";

/** Bytes of a part. Two parts are in memory. */
const partBytes = 16 * 1_048_576;
const uploadOptions = { partSize: partBytes, queueSize: 2, retry: 3 };

/**
 * Uploads a backup with its hash, and the log of erasures next to it. Then deletes all but the newest `keepCount` backups there.
 * The client of Bun reads the address and the credentials from the environment. Throws OperatorError.
 */
export async function uploadBackup(path: string, url: string, keepCount: number): Promise<void> {
  const { bucket, prefix } = parseBucket(url);
  verifyCertificates();
  const client = new Bun.S3Client({ bucket });
  const files = [path, `${path}.sha256`, join(dirname(path), erasureLogName)];
  let problem = `was made, but not stored in ${url}`;
  try {
    for (const file of files)
      if (existsSync(file)) await client.write(prefix + basename(file), Bun.file(file), uploadOptions);
    problem = `was stored in ${url}, but older backups there were not deleted`;
    const names = await listNames(client, prefix);
    // A backup without its hash is found and deleted the next time, a hash without its backup is not.
    for (const name of surplusBackups(names, keepCount, Date.now()))
      for (const old of [`${name}.sha256`, name]) await client.delete(prefix + old);
  } catch (error) {
    throw new OperatorError("server_unreachable", `${path} ${problem}: ${causeOf(error)}`);
  }
}

/** The names of the backups and their hashes. A page of the list has at most a thousand. */
async function listNames(client: Bun.S3Client, prefix: string): Promise<string[]> {
  const names: string[] = [];
  let continuationToken: string | undefined;
  do {
    const page = await client.list({
      prefix: `${prefix}accountd-`,
      ...(continuationToken !== undefined && { continuationToken }),
    });
    for (const { key } of page.contents ?? []) names.push(key.slice(prefix.length));
    continuationToken = page.nextContinuationToken;
  } while (continuationToken !== undefined);
  return names;
}

/**
 * The code, such as `ConnectionRefused`, where Bun's message is one text for all errors of connections, or the XML of an
 * error without a message.
 */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, message } = error as NodeJS.ErrnoException;
  return code !== undefined && /^<|^an unexpected error/.test(message) ? code : message;
}

/** Throws UsageError. */
export function parseBucket(url: string): { bucket: string; prefix: string } {
  const [, bucket, path = ""] = bucketPattern.exec(url) ?? [];
  if (bucket === undefined)
    throw new UsageError("--backup-to must be s3://BUCKET/PREFIX.", "invalid_setting");
  return { bucket, prefix: path === "" ? "" : `${path}/` };
}
