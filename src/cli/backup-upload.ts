import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
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
  const client = new Bun.S3Client({ bucket });
  const files = [path, `${path}.sha256`, join(dirname(path), erasureLogName)];
  try {
    for (const file of files)
      if (existsSync(file)) await client.write(prefix + basename(file), Bun.file(file), uploadOptions);
    // At most a thousand objects: the next upload deletes the rest.
    const { contents = [] } = (await client.list({ prefix: `${prefix}accountd-` })) ?? {};
    const names = contents.map(({ key }) => key.slice(prefix.length));
    for (const name of surplusBackups(names, keepCount, Date.now()))
      for (const old of [name, `${name}.sha256`]) await client.delete(prefix + old);
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw new OperatorError("server_unreachable", `${path} was made, but not stored in ${url}: ${cause}`);
  }
}

/** Throws UsageError. */
export function parseBucket(url: string): { bucket: string; prefix: string } {
  const [, bucket, path = ""] = bucketPattern.exec(url) ?? [];
  if (bucket === undefined)
    throw new UsageError("--backup-to must be s3://BUCKET/PREFIX.", "invalid_setting");
  return { bucket, prefix: path === "" ? "" : `${path}/` };
}
