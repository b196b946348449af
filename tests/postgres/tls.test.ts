import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EngineBusy } from "../../db/errors.ts";
import { withSql } from "../../db/postgres/connections/open.ts";
import { openPostgres } from "../../db/postgres/engine.ts";
import { type Certificate, createAuthority } from "../support/certificates.ts";
import { type PostgresServer, startPostgres } from "../support/postgres-server.ts";

setDefaultTimeout(30_000);

const authority = createAuthority("Authority");
const folder = mkdtempSync(join(tmpdir(), "accountd-tls-"));
/** The names of files in the parameters of the cases. */
const files = {
  TRUSTED: join(folder, "trusted.pem"),
  OTHER: join(folder, "other.pem"),
  EMPTY: join(folder, "empty.pem"),
};
let plain: PostgresServer;
let encrypted: PostgresServer;

beforeAll(async () => {
  writeFileSync(files.TRUSTED, authority.certificate);
  writeFileSync(files.OTHER, createAuthority("Other").certificate);
  writeFileSync(files.EMPTY, "");
  [plain, encrypted] = await Promise.all([startPostgres(), startPostgres()]);
  await useCertificate(authority.issue("localhost"));
});

afterAll(async () => {
  await Promise.all([plain.remove(), encrypted.remove()]);
  rmSync(folder, { recursive: true });
});

/** Makes the server use TLS with a certificate. */
async function useCertificate({ certificate, key }: Certificate): Promise<void> {
  const data = join(encrypted.folder, "data");
  const { uid, gid } = statSync(data);
  for (const [name, text] of [
    ["server.crt", certificate],
    ["server.key", key],
    ["root.crt", authority.certificate],
  ] as const) {
    const file = join(data, name);
    writeFileSync(file, text);
    chownSync(file, uid, gid);
    chmodSync(file, 0o600);
  }
  await withSql(encrypted.url, async (sql) => {
    await sql.unsafe("alter system set ssl = on").simple();
    await sql.unsafe("alter system set ssl_ca_file = 'root.crt'").simple();
    await sql`select pg_reload_conf()`;
  });
  await Bun.sleep(200);
}

/** Whether the connection is encrypted, or the message of the error. */
async function connectTo(
  server: PostgresServer,
  host: string,
  parameters: string,
): Promise<boolean | string> {
  const named = parameters.replace(/TRUSTED|OTHER|EMPTY/, (name) => files[name as keyof typeof files]);
  const url = `postgres://postgres:secret@${host}:${server.port}/postgres?${named}`;
  return withSql(url, async (sql) => {
    const [row] = await sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`;
    return row.ssl;
  }).catch((error: Error) => error.message);
}

const notTrusted =
  /^postgres:\/\/postgres@[\w.]+:\d+\/postgres cannot be used: The certificate of [\w.]+ is not trusted \(.+\): set sslrootcert to the file of its authority\.$/;
const otherName =
  /^postgres:\/\/.* cannot be used: The certificate of the server is not for 127\.0\.0\.1: connect to a name that is in it\.$/;
const noTls =
  /^postgres:\/\/.* cannot be used: localhost does not offer TLS: turn it on there, or set sslmode=disable\.$/;

test.each([
  ["localhost", "", true],
  ["localhost", "sslmode=disable", false],
  ["localhost", "sslmode=disable&sslrootcert=OTHER", false],
  ["localhost", "sslmode=prefer", true],
  ["localhost", "sslmode=prefer&sslrootcert=OTHER", true],
  ["localhost", "sslmode=require", true],
  ["127.0.0.1", "sslmode=require", true],
  ["localhost", "ssl=true", true],
  ["localhost", "sslmode=require&sslrootcert=TRUSTED", true],
  ["127.0.0.1", "sslmode=require&sslrootcert=TRUSTED", true],
  ["localhost", "sslmode=require&sslrootcert=OTHER", notTrusted],
  ["localhost", "sslmode=verify-ca&sslrootcert=TRUSTED", true],
  ["127.0.0.1", "sslmode=verify-ca&sslrootcert=TRUSTED", true],
  ["localhost", "sslmode=verify-ca&sslrootcert=OTHER", notTrusted],
  ["localhost", "sslmode=verify-full&sslrootcert=TRUSTED", true],
  ["127.0.0.1", "sslmode=verify-full&sslrootcert=TRUSTED", otherName],
  ["localhost", "sslmode=verify-full&sslrootcert=OTHER", notTrusted],
  ["localhost", "sslmode=verify-full", notTrusted],
  ["localhost", "sslmode=verify-full&sslrootcert=system", notTrusted],
  ["localhost", "sslrootcert=system", notTrusted],
])("a server with a certificate for localhost: %s with %s", async (host, parameters, expected) => {
  const result = await connectTo(encrypted, host, parameters);
  expect(result).toEqual(typeof expected === "boolean" ? expected : expect.stringMatching(expected));
});

test.each([
  ["", false],
  ["sslmode=disable", false],
  ["sslmode=prefer", false],
  ["sslmode=require", noTls],
  ["ssl=true", noTls],
  ["sslmode=verify-ca&sslrootcert=TRUSTED", noTls],
  ["sslmode=verify-full", noTls],
])("a server without TLS: %s", async (parameters, expected) => {
  const result = await connectTo(plain, "localhost", parameters);
  expect(result).toEqual(typeof expected === "boolean" ? expected : expect.stringMatching(expected));
});

test.each([
  ["sslmode=verify", "sslmode must be one of disable, allow, prefer, require, verify-ca, verify-full."],
  ["sslmode=verify-ca", "sslmode=verify-ca needs sslrootcert=FILE."],
  ["sslmode=require&sslrootcert=system", "sslrootcert=system needs sslmode=verify-full."],
  ["ssl-mode=require", "The URL of the database has the parameter ssl-mode: write sslmode=MODE."],
  [
    "sslmode=verify-full&sslrootcert=/absent",
    /^The file of sslrootcert, \/absent, cannot be read: ENOENT\.$/,
  ],
  ["sslmode=require&sslrootcert=EMPTY", /^The file of sslrootcert, .+, has no certificate in PEM format\.$/],
])("the parameters %s are an error", async (parameters, message) => {
  const result = await connectTo(encrypted, "localhost", parameters);
  expect(result).toEqual(typeof message === "string" ? message : expect.stringMatching(message));
});

test.each([
  ["without a file, the authorities of the system are trusted", { SSL_CERT_FILE: files.TRUSTED }, true],
  ["no other authority is trusted", {}, false],
  ["with a file, they are not trusted", { SSL_CERT_FILE: files.TRUSTED, PGSSLROOTCERT: files.OTHER }, false],
])("%s", async (_, environment, isTrusted) => {
  const database = `postgres://postgres@localhost:${encrypted.port}/postgres?sslmode=verify-full`;
  const main = join(import.meta.dir, "../../src/main.ts");
  const child = Bun.spawn([process.execPath, main, "migrate", "--database", database], {
    env: { ...Bun.env, ...environment },
    stdout: "ignore",
    stderr: "pipe",
  });
  const errors = await child.stderr.text();
  expect([await child.exited, notTrusted.test(errors.trim())]).toEqual([isTrusted ? 0 : 1, !isTrusted]);
});

test("NODE_TLS_REJECT_UNAUTHORIZED=0 does not turn the verification off", async () => {
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
  try {
    expect(await connectTo(encrypted, "localhost", "sslmode=verify-full")).toMatch(notTrusted);
    expect(await connectTo(encrypted, "127.0.0.1", "sslmode=verify-full&sslrootcert=TRUSTED")).toMatch(
      otherName,
    );
  } finally {
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  }
});

test("the certificate of the client is that of sslcert", async () => {
  const { certificate, key } = authority.issue("client");
  writeFileSync(join(folder, "client.crt"), certificate);
  writeFileSync(join(folder, "client.key"), key);
  const client = `sslcert=${join(folder, "client.crt")}&sslkey=${join(folder, "client.key")}`;
  for (const mode of [`sslmode=verify-full&sslrootcert=${files.TRUSTED}`, "sslmode=require"])
    await withSql(
      `postgres://postgres@localhost:${encrypted.port}/postgres?${mode}&${client}`,
      async (sql) => {
        const [row] = await sql`select client_dn from pg_stat_ssl where pid = pg_backend_pid()`;
        expect(row.client_dn).toBe("/CN=client");
      },
    );
});

test("an engine connects again only to a certificate that the file trusts then", async () => {
  const url = `postgres://postgres@127.0.0.1:${encrypted.port}/postgres?sslmode=verify-full&sslrootcert=${files.TRUSTED}`;
  await useCertificate(authority.issue("127.0.0.1"));
  const engine = await openPostgres(url, { clock: Date.now, canMigrate: true });
  try {
    await engine.ping();
    const other = createAuthority("Other");
    await useCertificate(other.issue("127.0.0.1"));
    await withSql(
      encrypted.url,
      (sql) =>
        sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'accountd'`,
    );
    await Bun.sleep(100);
    await expect(engine.ping()).rejects.toBeInstanceOf(EngineBusy);
    writeFileSync(files.TRUSTED, authority.certificate + other.certificate);
    await engine.ping();
  } finally {
    writeFileSync(files.TRUSTED, authority.certificate);
    await engine.close();
  }
});
