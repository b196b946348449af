import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { closeAfterTest } from "./cleanup.ts";
import { freePort } from "./free-port.ts";

export type Bucket = {
  /** Of the empty bucket named `bucket`. */
  client: Bun.S3Client;
  /** What the client of a program reads. */
  env: { AWS_ACCESS_KEY_ID: string; AWS_SECRET_ACCESS_KEY: string; AWS_ENDPOINT: string };
};

/** Node: s3rver encrypts the positions of its pages by a method that OpenSSL calls old. */
const environment = { PATH: Bun.env.PATH ?? "", NODE_OPTIONS: "--openssl-legacy-provider" };

/** A stand-in of S3, until the end of the test. */
export async function startS3rver(): Promise<Bucket> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "accountd-s3rver-"));
  const child = Bun.spawn(
    ["node_modules/.bin/s3rver", "-p", String(port), "-d", folder, "--configure-bucket", "bucket"],
    { cwd: join(import.meta.dir, "../.."), env: environment, stdout: "ignore", stderr: "ignore" },
  );
  closeAfterTest(async () => {
    child.kill();
    await child.exited;
    rmSync(folder, { recursive: true, force: true });
  });
  const endpoint = `http://127.0.0.1:${port}`;
  while (!(await fetch(endpoint).catch(() => undefined))) await Bun.sleep(20);
  return bucketOf(endpoint, "S3RVER", "S3RVER");
}

export function bucketOf(endpoint: string, accessKeyId: string, secretAccessKey: string): Bucket {
  return {
    client: new Bun.S3Client({ endpoint, accessKeyId, secretAccessKey, bucket: "bucket" }),
    env: {
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_ENDPOINT: endpoint,
    },
  };
}
