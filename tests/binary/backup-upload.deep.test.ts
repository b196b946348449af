import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { codeBlocks, sectionOf } from "../documents/documents.ts";
import { bash } from "../support/bash.ts";
import { type Bucket, startS3rver } from "../support/bucket.ts";
import { freePort } from "../support/free-port.ts";
import { type Radosgw, startRadosgw, whyNoRadosgw } from "../support/radosgw.ts";
import { folder, output, run, start } from "./binary.ts";
import { binary } from "./build.ts";
import { addFreePages } from "./free-pages.ts";
import { logged } from "./service.ts";

setDefaultTimeout(180_000);

let radosgw: Radosgw | undefined;
beforeAll(async () => {
  if (whyNoRadosgw() === undefined) radosgw = await startRadosgw();
});
afterAll(() => radosgw?.remove());

/** Throws without radosgw, where its tests are skipped. */
async function started(): Promise<Radosgw> {
  if (radosgw === undefined) throw new Error(whyNoRadosgw());
  return radosgw;
}

/** A folder with a database, in which a backup has parts. */
async function databaseOfManyParts(): Promise<string> {
  const cwd = folder();
  await output(["organizations", "create", "Acme"], { cwd });
  addFreePages(join(cwd, "data/accountd.db"), 110);
  return cwd;
}

const stores: [string, string | undefined, () => Promise<Bucket>][] = [
  ["s3rver", undefined, startS3rver],
  ["radosgw", whyNoRadosgw(), started],
];

for (const [store, whyNot, startStore] of stores)
  describe.skipIf(whyNot !== undefined)(store, () => {
    test("of over a thousand objects, the oldest backups and their hashes are deleted", async () => {
      const { client, env } = await startStore();
      const old = Array.from({ length: 505 }, (_, day) => nameOfDay(day));
      const others = ["accountd-first.db", "other.db"];
      const objects = [...old.flatMap((name) => [name, `${name}.sha256`]), ...others];
      await Promise.all(objects.map((name) => client.write(`many/${name}`, "old")));
      const cwd = folder();
      await output(["organizations", "create", "Acme"], { cwd });
      for (const [made, keepCount] of [
        ["accountd-20260101T000000Z.db", 503],
        ["accountd-20260102T000000Z.db", 3],
      ] as const) {
        const upload = ["--backup-to", "s3://bucket/many", "--backup-keep", String(keepCount)];
        await output(["backup", made, ...upload], { cwd, env });
        old.push(made);
        const kept = old.slice(-keepCount).flatMap((name) => [name, `${name}.sha256`]);
        expect(await namesIn(client, "many/")).toEqual([...kept, ...others].toSorted());
      }
    });

    test.skipIf(!Bun.which("rclone"))(
      "the documented commands restore a backup that was uploaded in parts",
      async () => {
        const { client, env } = await startStore();
        const cwd = await databaseOfManyParts();
        const made = "accountd-20260101T000000Z.db";
        const erasures = ["old", "newer"].map((text) => `\n${text}\n`);
        writeFileSync(join(cwd, "erasures.log"), erasures[0] ?? "");
        await output(["backup", made, "--backup-to", "s3://bucket/prefix"], { cwd, env });
        await client.write("prefix/accountd-20250101T000000Z.db", "old");
        const [copy = "", copyOne = ""] = codeBlocks(
          sectionOf("docs/operations.md", "### Restore from a bucket"),
          "sh",
        );
        const backups = join(cwd, "backups");
        const file = join(cwd, "backup.env");
        writeFileSync(
          file,
          Object.entries(env)
            .map((pair) => `${pair.join("=")}\n`)
            .join(""),
        );
        const script = `${standIns}\n${copy}\n[ -z "$AND_ONE" ] || { cd "$AND_ONE"; ${copyOne} }`
          .replaceAll("/etc/accountd/backup.env", file)
          .replaceAll("/var/backups/accountd", backups);
        await bash(script, { AND_ONE: "" });
        expect(readdirSync(backups).sort()).toEqual([made, `${made}.sha256`, "erasures.log"]);
        writeFileSync(join(backups, "erasures.log"), erasures[1] ?? "");
        const one = folder();
        await bash(script, { AND_ONE: one });
        expect(readFileSync(join(backups, "erasures.log"), "utf8")).toBe("\nnewer\n");
        const bytes = readFileSync(join(cwd, made));
        for (const path of [join(backups, made), join(one, made)])
          expect(readFileSync(path).equals(bytes)).toBe(true);
        writeFileSync(join(backups, "erasures.log"), "");
        const restored = await output(["restore", join(backups, made), "--database", "restored.db"], { cwd });
        expect(restored).toStartWith(
          `restored.db was restored from ${join(backups, made)}: 1 organizations, `,
        );
      },
    );
  });

describe.skipIf(whyNoRadosgw() !== undefined)("faults of radosgw", () => {
  test("the end of the store during an upload fails the backup of the server; the next backup is stored", async () => {
    const { client, env, kill, startGateway } = await started();
    const cwd = await databaseOfManyParts();
    const metrics = `127.0.0.1:${await freePort()}`;
    const options = ["--port", "0", "--metrics", metrics, "--backup-dir", "backups", "--backup-every", "1m"];
    const server = await start(["serve", ...options, "--backup-to", "s3://bucket/served"], { cwd, env });
    while (!readdirSync(join(cwd, "backups")).some((name) => name.endsWith("Z.db"))) await Bun.sleep(5);
    await Bun.sleep(300);
    await kill();
    const { cause } = await logged(server, "backup_failed");
    expect(cause).toMatch(
      /^\/.*\/accountd-\S+Z\.db was made, but not stored in s3:\/\/bucket\/served: ConnectionRefused$/,
    );
    expect(await (await fetch(`http://${metrics}/metrics`)).text()).toContain(
      "\naccountd_backup_failures_total 1\n",
    );
    await startGateway();
    expect(await namesIn(client, "served/")).toEqual([]);
    const name = basename((await logged(server, "backup_made")).backup);
    expect(await namesIn(client, "served/")).toEqual([name, `${name}.sha256`]);
    expect(readdirSync(join(cwd, "backups")).sort()).toEqual([name, `${name}.sha256`]);
  });

  test("the message of an upload that the store refuses has the code of the store", async () => {
    const { env, admin } = await started();
    const cwd = folder();
    await output(["organizations", "create", "Acme"], { cwd });
    let count = 0;
    const messageOf = async (url: string, settings: Parameters<typeof run>[1] = {}) => {
      const name = nameOfDay(count++);
      const { code, stderr } = await run(["backup", name, "--backup-to", url, "--backup-keep", "1"], {
        cwd,
        ...settings,
        env: { ...env, ...settings.env },
      });
      expect([code, existsSync(join(cwd, name))]).toEqual([1, true]);
      return stderr.trimEnd().split("\n").at(-1)?.replace(name, "FILE");
    };
    const bucket = "s3://bucket/refused";
    const problem = `FILE was made, but not stored in ${bucket}`;
    expect(await messageOf(bucket, { env: { AWS_SECRET_ACCESS_KEY: "wrong" } })).toBe(
      `${problem}: SignatureDoesNotMatch`,
    );
    expect(await messageOf(bucket, { env: { AWS_ACCESS_KEY_ID: "wrong" } })).toBe(
      `${problem}: InvalidAccessKeyId`,
    );
    expect(await messageOf("s3://none")).toBe("FILE was made, but not stored in s3://none: NoSuchBucket");
    if (Bun.which("faketime"))
      for (const time of ["-20m", "+20m"])
        expect(await messageOf(bucket, { program: ["faketime", "-f", time, await binary()] })).toBe(
          `${problem}: RequestTimeTooSkewed`,
        );
    await output(["backup", nameOfDay(count++), "--backup-to", bucket], { cwd, env });
    admin("user", "modify", "--uid=backup", "--op-mask=read,write");
    expect(await messageOf(bucket)).toBe(
      `FILE was stored in ${bucket}, but older backups there were not deleted: AccessDenied`,
    );
  });
});

/** The name of a backup of a day after the first one of 2024. */
function nameOfDay(day: number): string {
  const date = new Date(Date.UTC(2024, 0, 1 + day)).toISOString().slice(0, 10);
  return `accountd-${date.replaceAll("-", "")}T000000Z.db`;
}

/** The names of all objects below a prefix. */
async function namesIn(client: Bun.S3Client, prefix: string): Promise<string[]> {
  const names: string[] = [];
  for (let startAfter = ""; ; ) {
    const { contents = [] } = await client.list({ prefix, ...(startAfter !== "" && { startAfter }) });
    if (contents.length === 0) return names.sort();
    startAfter = contents.at(-1)?.key ?? "";
    names.push(...contents.map(({ key }) => key.slice(prefix.length)));
  }
}

/** The commands run as root. Here the programs run as this user. */
const standIns = `
set -e
runuser() { shift 3; "$@"; }
install() { mkdir -p "\${@: -1}"; }
`;
