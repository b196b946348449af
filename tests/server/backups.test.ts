import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startBackups } from "../../src/server/backups.ts";
import { folder, output } from "../binary/binary.ts";
import { freePort } from "../support/free-port.ts";

setDefaultTimeout(60_000);

test("attempts to upload a backup do not replace the backups of earlier days", async () => {
  const cwd = folder();
  const old = ["accountd-20260101T000000Z.db", "accountd-20260102T000000Z.db"];
  mkdirSync(join(cwd, "backups"));
  const longAgo = new Date("2026-01-02");
  for (const path of old.map((name) => join(cwd, "backups", name))) {
    writeFileSync(path, "old");
    utimesSync(path, longAgo, longAgo);
  }
  await output(["organizations", "create", "Acme"], { cwd });
  Object.assign(Bun.env, {
    S3_ENDPOINT: `http://127.0.0.1:${await freePort()}`,
    S3_ACCESS_KEY_ID: "id",
    S3_SECRET_ACCESS_KEY: "secret",
  });
  let [failureCount, now] = [0, Date.parse("2026-01-03")];
  const enough = Promise.withResolvers<void>();
  const backups = startBackups({
    file: join(cwd, "data/accountd.db"),
    backupFolder: join(cwd, "backups"),
    backupMilliseconds: 86_400_000,
    backupKeepCount: 3,
    backupUrl: "s3://bucket/daily",
    // Each pause is over when it begins.
    clock: () => (now += 700_000),
    log: {
      info: () => {},
      error() {
        failureCount += 1;
        if (failureCount === 3) enough.resolve();
      },
    },
  });
  await enough.promise;
  await backups.stop();
  expect(readdirSync(join(cwd, "backups")).sort()).toEqual([
    ...old,
    expect.stringMatching(/^accountd-20260103T\d{6}Z\.db$/),
    expect.stringMatching(/^accountd-20260103T\d{6}Z\.db\.sha256$/),
  ]);
  expect(backups.newestAt()).toBeGreaterThan(longAgo.getTime());
  rmSync(join(cwd, "backups"), { recursive: true });
  expect(backups.newestAt()).toBe(0);
});
