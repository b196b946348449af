import { expect, setDefaultTimeout, test } from "bun:test";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { startS3rver } from "../support/bucket.ts";
import { createAuthority } from "../support/certificates.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { freePort } from "../support/free-port.ts";
import { folder, output, run, start } from "./binary.ts";
import { logged, logOf, sendRequest } from "./service.ts";

setDefaultTimeout(60_000);

const name = /^accountd-\d{8}T\d{6}Z\.db$/;

type Folder = { cwd: string; names: () => string[] };

async function databaseWithBackups(others: string[] = []): Promise<Folder> {
  const cwd = folder();
  await output(["organizations", "create", "Acme"], { cwd });
  mkdirSync(join(cwd, "backups"));
  for (const other of others) writeFileSync(join(cwd, "backups", other), other);
  return { cwd, names: () => readdirSync(join(cwd, "backups")).sort() };
}

const serve = (cwd: string, ...options: string[]) =>
  start(["serve", "--port", "0", "--backup-dir", "backups", ...options], { cwd });

test("serve --backup-dir makes a backup, keeps the newest ones, and leaves other files", async () => {
  const old = ["accountd-20260101T000000Z.db", "accountd-20260102T000000Z.db"];
  const others = [
    `${old[0]}.sha256`,
    `${old[1]}.sha256`,
    "other.db",
    "accountd-20260103T000000Z.db.unfinished",
  ];
  const { cwd, names } = await databaseWithBackups([...old, ...others]);
  const longAgo = new Date("2026-01-02");
  for (const path of old) utimesSync(join(cwd, "backups", path), longAgo, longAgo);
  const server = await serve(cwd, "--backup-keep", "2");
  const { time, backup, seconds, ...line } = await logged(server, "backup_made");
  expect(line).toEqual({ level: "info", event: "backup_made", bytes: statSync(backup).size });
  expect(await output(["check", "--database", backup], { cwd })).toBe(`${backup} is sound.`);
  const made = backup.slice(backup.lastIndexOf("/") + 1);
  expect(made).toMatch(name);
  while (names().length > 5) await Bun.sleep(20);
  expect(names()).toEqual([old[1], `${old[1]}.sha256`, made, `${made}.sha256`, "other.db"].toSorted());
  await server.stop();
  // The newest backup is not older than the time between two.
  const next = await serve(cwd);
  await Bun.sleep(500);
  expect(await next.stop()).toBe(0);
  expect(logOf(next).map(({ event }) => event)).not.toContain("backup_made");
  expect(names()).toHaveLength(5);
});

test("a failed backup of the server is logged, and requests are answered", async () => {
  const { cwd, names } = await databaseWithBackups(["accountd-20260101T000000Z.db.faulty"]);
  const database = join(cwd, "data/accountd.db");
  const bytes = readFileSync(database);
  // A page of an empty index.
  bytes.fill(0xab, 4_096 * 20, 4_096 * 21);
  writeFileSync(database, bytes);
  const server = await serve(cwd);
  const { time, cause, ...line } = await logged(server, "backup_failed");
  expect(line).toEqual({
    level: "error",
    event: "backup_failed",
    folder: join(realpathSync(cwd), "backups"),
    detail: "The server tries again. Run accountd backup to see the cause.",
  });
  expect(cause).toMatch(
    /^The copy has faults \(\d+\), such as: .+ It is kept as .+\.faulty\. Run accountd check\.$/,
  );
  expect(names()).toEqual([expect.stringMatching(/^accountd-2.*\.db\.faulty$/)]);
  expect(names()).not.toContain("accountd-20260101T000000Z.db.faulty");
  expect((await fetch(`${server.url}/livez`)).status).toBe(200);
});

test("while an old backup cannot be removed, backups fail, and the server runs", async () => {
  const { cwd } = await databaseWithBackups();
  const old = join(cwd, "backups/accountd-20260101T000000Z.db");
  mkdirSync(old);
  utimesSync(old, new Date("2026-01-01"), new Date("2026-01-01"));
  const server = await serve(cwd, "--backup-keep", "1");
  const { cause } = await logged(server, "backup_failed");
  expect(cause).toContain("accountd-20260101T000000Z.db");
  expect((await fetch(`${server.url}/livez`)).status).toBe(200);
});

test("serve --backup-to uploads each backup to S3, and keeps the newest ones there", async () => {
  const { cwd } = await databaseWithBackups(["erasures.log"]);
  const bucket = await startS3rver();
  const old = ["accountd-20260101T000000Z.db", "accountd-20260102T000000Z.db"];
  for (const path of [...old, "accountd-first.db", "other.db"])
    await bucket.client.write(`daily/${path}`, "old");
  const server = await start(
    [
      "serve",
      "--port",
      "0",
      "--backup-dir",
      "backups",
      "--backup-to",
      "s3://bucket/daily",
      "--backup-keep",
      "2",
    ],
    { cwd, env: bucket.env },
  );
  const { backup } = await logged(server, "backup_made");
  const made = backup.slice(backup.lastIndexOf("/") + 1);
  const { contents = [] } = await bucket.client.list({ prefix: "daily/" });
  expect(contents.map(({ key }) => key)).toEqual(
    [old[1], made, `${made}.sha256`, "accountd-first.db", "erasures.log", "other.db"].map(
      (path) => `daily/${path}`,
    ),
  );
  const stored = await bucket.client.file(`daily/${made}`).bytes();
  expect(Buffer.compare(stored, readFileSync(backup))).toBe(0);
});

test("a backup that cannot be uploaded is kept, and the failure is logged", async () => {
  const { cwd, names } = await databaseWithBackups();
  const bucket = await startS3rver();
  const server = await start(
    ["serve", "--port", "0", "--backup-dir", "backups", "--backup-to", "s3://none/daily"],
    { cwd, env: bucket.env },
  );
  const { cause } = await logged(server, "backup_failed");
  expect(cause).toMatch(/^.*\/accountd-\S+Z\.db was made, but not stored in s3:\/\/none\/daily: .+$/);
  expect(names()).toHaveLength(2);
});

test("the message of an upload to a store that does not run has the code of the connection", async () => {
  const { cwd } = await databaseWithBackups();
  const endpoint = `http://127.0.0.1:${await freePort()}`;
  const env = { S3_ACCESS_KEY_ID: "id", S3_SECRET_ACCESS_KEY: "secret", S3_ENDPOINT: endpoint };
  expect(await run(["backup", "b.db", "--backup-to", "s3://bucket/daily"], { cwd, env })).toEqual({
    code: 1,
    stdout: "",
    stderr:
      "The copy is complete and is checked now.\n" +
      "b.db was made, but not stored in s3://bucket/daily: ConnectionRefused\n",
  });
});

test("an upload verifies the certificate of the store, also with NODE_TLS_REJECT_UNAUTHORIZED=0", async () => {
  const { cwd } = await databaseWithBackups();
  const authority = createAuthority("Authority");
  writeFileSync(join(cwd, "authority.pem"), authority.certificate);
  const { certificate, key } = authority.issue("127.0.0.1");
  const store = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    tls: { cert: certificate, key },
    fetch: () => new Response("<Error><Code>NoSuchBucket</Code></Error>", { status: 404 }),
  });
  closeAfterTest(() => store.stop(true));
  const upload = async (name: string, settings: Record<string, string>) => {
    const env = { S3_ACCESS_KEY_ID: "id", S3_SECRET_ACCESS_KEY: "secret", S3_ENDPOINT: store.url.origin };
    const { stderr } = await run(["backup", name, "--backup-to", "s3://bucket"], {
      cwd,
      env: { ...env, ...settings },
    });
    return stderr.trimEnd().split(" ").at(-1);
  };
  expect(await upload("a.db", { NODE_TLS_REJECT_UNAUTHORIZED: "0" })).toBe("UNABLE_TO_VERIFY_LEAF_SIGNATURE");
  expect(await upload("b.db", { NODE_EXTRA_CA_CERTS: join(cwd, "authority.pem") })).toBe("NoSuchBucket");
});

test("while the log of erasures cannot be written, nobody is erased", async () => {
  const { cwd } = await databaseWithBackups();
  mkdirSync(join(cwd, "backups/erasures.log"));
  const key = await output(["keys", "create", "--organization", "Acme", "--scope", "read,write,admin"], {
    cwd,
  });
  const server = await serve(cwd);
  const person = { contactEmail: "ada@x.example" };
  await sendRequest(server.url, key, "POST", "/api/v1/accounts", { name: "Acme", ...person });
  const erase = () => sendRequest(server.url, key, "POST", "/api/v1/erasures", { email: "ada@x.example" });
  const { status, body } = await erase();
  expect([status, body.code]).toEqual([503, "store_failed"]);
  const { data } = (await sendRequest(server.url, key, "GET", "/api/v1/contacts/1")).body;
  expect(data.email).toBe("ada@x.example");
  rmdirSync(join(cwd, "backups/erasures.log"));
  expect((await erase()).body.data.contacts).toBe(1);
});

test("a stop of the server ends its backup, and leaves no unfinished one", async () => {
  const { cwd, names } = await databaseWithBackups();
  const server = await serve(cwd);
  expect(await server.stop()).toBe(0);
  expect(names().filter((path) => path.includes("unfinished"))).toEqual([]);
  expect(logOf(server).map(({ event }) => event)).not.toContain("backup_failed");
});

test("serve refuses a folder that cannot be written, invalid values, and PostgreSQL", async () => {
  const cwd = folder();
  writeFileSync(join(cwd, "file"), "");
  const message = async (...options: string[]) =>
    (await run(["serve", "--port", "0", ...options], { cwd })).stderr.trim().split("\n").at(-2);
  expect(await message("--backup-dir", "file/x")).toMatch(
    /^.*\/file\/x cannot be written\. Check the permissions of the folder\.$/,
  );
  expect(await message("--backup-every", "10s")).toBe(
    "--backup-every (BACKUP_EVERY) must be a time from 1m, such as 12h or 7d.",
  );
  expect(await message("--backup-to", "gs://b")).toBe("--backup-to (BACKUP_TO) must be s3://BUCKET/PREFIX.");
  expect(await message("--backup-to", "s3://id:secret@bucket/x")).toBe(
    "--backup-to (BACKUP_TO) must be s3://BUCKET/PREFIX.",
  );
  expect(await message("--backup-to", "s3://bucket")).toBe("--backup-to needs --backup-dir.");
  const postgres = ["--database", "postgres://accountd@127.0.0.1:1/x"];
  expect(await message("--backup-dir", "b", ...postgres)).toBe(
    "--backup-dir is for a SQLite file. Use pg_dump.",
  );
  expect(await message("--backup-keep", "0")).toBe(
    "--backup-keep (BACKUP_KEEP) must be a number from 1 to 99999.",
  );
});

test("serve refuses a folder with backups of another database", async () => {
  const { cwd, names } = await databaseWithBackups();
  const made = await logged(await serve(cwd), "backup_made");
  await output(["organizations", "create", "Beta", "--database", "beta.db"], { cwd });
  const { code, stderr } = await run(
    ["serve", "--port", "0", "--database", "beta.db", "--backup-dir", "backups"],
    { cwd },
  );
  const [newest = ""] = names();
  expect(code).toBe(2);
  expect(made.backup).toEndWith(newest);
  expect(stderr).toContain(
    `/backups has backups of another database, such as ${newest}. Name another folder with --backup-dir.`,
  );
});

test("a backup of a clock that was ahead does not delay the next one, and is deleted first", async () => {
  const future = ["accountd-29990101T000000Z.db", "accountd-29990102T000000Z.db"];
  const { cwd, names } = await databaseWithBackups(future);
  const { backup } = await logged(await serve(cwd, "--backup-keep", "2"), "backup_made");
  const made = backup.slice(backup.lastIndexOf("/") + 1);
  while (names().length > 3) await Bun.sleep(20);
  expect(names()).toEqual([made, `${made}.sha256`, future[1] ?? ""]);
});
