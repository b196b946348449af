import { expect, test } from "bun:test";
import { parseDatabase, readDatabase } from "../../src/config.ts";
import { UsageError } from "../../src/core/settings/operator-error.ts";

const databaseOf = (database: string) => readDatabase({ database }, {});

test.each([
  ["file:data/x.db", "data/x.db"],
  ["file:./x.db", "./x.db"],
  ["file:../x.db", "../x.db"],
  ["file:/abs/x.db", "/abs/x.db"],
  ["file:///abs/x.db", "/abs/x.db"],
  ["FILE:///abs/x.db", "/abs/x.db"],
  ["file:///a%20b/x%20y.db", "/a b/x y.db"],
  ["file:a%20b.db", "a b.db"],
  ["file:///caf%C3%A9.db", "/café.db"],
  ["file:///a%23b%3Fc%25.db", "/a#b?c%.db"],
])("The URL %s refers to the file %s", (url, file) => {
  expect(databaseOf(url)).toBe(file);
});

test.each([
  ...["postgres://user:secret@127.0.0.1/accounts?sslmode=require", "postgresql://127.0.0.1/accounts"],
  ...["POSTGRES://127.0.0.1/accounts", "postgres://user:secret@10.0.0.1:5432,10.0.0.2:5433/accounts"],
  ...["x.db", "./data/x.db", "/abs/x.db", "a b?c#d%20.db"],
  // Paths that look like connection strings or URLs of a server.
  ...["data/host.db", "a=b.db", "my password.db", "o'brien.db", "größe.db"],
  ...["postgres.db", "data/postgres/x.db", "postgresql/x.db", "a//b:c.db"],
])("The URL of PostgreSQL or the path %s is used unchanged", (database) => {
  expect(databaseOf(database)).toBe(database);
});

test.each([
  ["postgres://h/d", "postgres://h/d?sslmode=verify-full&sslrootcert=%2Fca+1.pem"],
  ["postgres://h1:1,h2/d?a=b?c", "postgres://h1:1,h2/d?a=b?c&sslmode=verify-full&sslrootcert=%2Fca+1.pem"],
  ["postgres://h/d?sslmode=disable", "postgres://h/d?sslmode=disable&sslrootcert=%2Fca+1.pem"],
  ["postgres://h/d?ssl=true", "postgres://h/d?ssl=true&sslrootcert=%2Fca+1.pem"],
  ["postgres://h/d?sslrootcert=x", "postgres://h/d?sslrootcert=x&sslmode=verify-full"],
])("PGSSLMODE and PGSSLROOTCERT are parameters of the URL %s, unless it has them", (database, url) => {
  const environment = { PGSSLMODE: "verify-full", PGSSLROOTCERT: "/ca 1.pem" };
  expect(readDatabase({ database }, environment)).toBe(url);
});

test.each([
  "postgres:accounts",
  "postgres://127.0.0.1:port/accounts",
  "postgres://user:12/34@127.0.0.1/accounts",
  "mysql://127.0.0.1/accounts",
  "sqlite:x.db",
  "http://127.0.0.1/x.db",
  "file://host/x.db",
  "file://host",
  "file:",
  "file://",
  "file:x.db?mode=ro",
  "file:%E0%A4%A",
  "file:a%00b.db",
  "a\0b.db",
  ":memory:",
  "file::memory:",
  "",
])("The database %j is rejected", (database) => {
  expect(() => databaseOf(database)).toThrow(UsageError);
});

test.each([
  "host=db.internal user=accountd password=secret",
  "user=accountd password=secret",
  "dbname = accounts password = secret",
  "Server=db.internal;Password=secret",
  '"/x/secret.db"',
  "'/x/secret.db'",
  "/x/secret.db\r",
  " /x/secret.db",
  "/x/secret.db ",
  "/x/secret\u001b[31m.db",
  "file:/x/secret.db%0D",
  "postgres://user:secret@127.0.0.1/accounts\r",
  " postgres://user:secret@127.0.0.1/accounts",
])("The database %j is rejected wherever it is named, and its value is not repeated", (text) => {
  const flag = () => databaseOf(text);
  const variable = () => readDatabase({}, { DATABASE_URL: text });
  const option = () => parseDatabase(text, "--from");
  for (const read of [flag, variable, option]) {
    expect(read).toThrow(expect.objectContaining({ code: "invalid_setting" }));
    expect(read).toThrow(/^(?!.*secret)/);
  }
});

test.each(["'postgres://user:secret@127.0.0.1/accounts'", "postgres://user:secret@127.0.0.1/accounts\r"])(
  "The error of the URL %j names quotes and control characters, and does not repeat it",
  (text) => {
    expect(() => databaseOf(text)).toThrow(/without quotes or blanks around it, control characters/);
    expect(() => databaseOf(text)).toThrow(/^(?!.*secret)/);
  },
);

test("The error of an invalid database does not repeat the value, which may contain a password", () => {
  expect(() => databaseOf("mysql://user:secret@127.0.0.1/accounts")).toThrow(/^(?!.*secret)/);
});

test.each([
  "postgres://user:secret%zz@127.0.0.1/accounts",
  "postgres://user:100%@127.0.0.1/accounts",
  "postgres://user:secret/1@127.0.0.1/accounts",
  "postgres://user:secret#1@127.0.0.1/accounts",
  "postgres://user:secret?1@127.0.0.1/accounts",
  "postgres//user:secret@127.0.0.1/accounts",
  "user:secret@127.0.0.1:5432/accounts",
  "postgres:/user:secret@127.0.0.1/accounts",
  "DATABASE_URL=postgres://user:secret@127.0.0.1/accounts",
  "postgre://user:secret@127.0.0.1/accounts",
  "//user:secret@127.0.0.1/accounts",
])("The invalid URL %s is a setting to correct, with the characters to percent-encode", (database) => {
  const read = () => databaseOf(database);
  expect(read).toThrow(
    /^The database \(--database, DATABASE_URL\) must be postgres:\/\/USER:.* write %25, %2F, %23, %3F and %40 for %, \/, #, \? and @\.$/,
  );
  expect(read).toThrow(/^(?!.*secret)/);
  expect(read).toThrow(expect.objectContaining({ code: "invalid_setting" }));
});
