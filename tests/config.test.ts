import { expect, test } from "bun:test";
import { readConfig, UsageError } from "../src/config.ts";

const databaseOf = (database: string) => readConfig({ database }, {}).database;

test("Without flags and environment the defaults hold", () => {
  expect(readConfig({}, {})).toEqual({
    database: "data/accountd.db",
    host: "127.0.0.1",
    port: 3000,
    logRequests: false,
    eventDays: 35,
  });
});

test("The environment sets what the flags leave open", () => {
  const environment = { DATABASE_URL: "x.db", HOST: "127.0.0.2", PORT: "8080", LOG_REQUESTS: "true" };
  expect(readConfig({}, environment)).toEqual({
    database: "x.db",
    host: "127.0.0.2",
    port: 8080,
    logRequests: true,
    eventDays: 35,
  });
});

test("A flag wins over the environment", () => {
  const environment = { DATABASE_URL: "x.db", HOST: "127.0.0.2", PORT: "8080", LOG_REQUESTS: "false" };
  const flags = { database: "y.db", host: "127.0.0.3", port: "0", "log-requests": true };
  expect(readConfig(flags, environment)).toEqual({
    database: "y.db",
    host: "127.0.0.3",
    port: 0,
    logRequests: true,
    eventDays: 35,
  });
});

test("A flag hides a variable that would be refused", () => {
  expect(readConfig({ database: "y.db" }, { DATABASE_URL: "postgres://h/d" }).database).toBe("y.db");
  expect(readConfig({ port: "1" }, { PORT: "abc" }).port).toBe(1);
});

test("An empty variable is as good as none", () => {
  const environment = { DATABASE_URL: "", HOST: "", PORT: "", LOG_REQUESTS: "" };
  expect(readConfig({}, environment)).toEqual(readConfig({}, {}));
});

test.each([
  ["x.db", "x.db"],
  ["./data/x.db", "./data/x.db"],
  ["/abs/x.db", "/abs/x.db"],
  ["a b?c#d%20.db", "a b?c#d%20.db"],
])("The path %s is taken as it is", (path, file) => {
  expect(databaseOf(path)).toBe(file);
});

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
])("The URL %s names the file %s", (url, file) => {
  expect(databaseOf(url)).toBe(file);
});

test.each([
  "postgres://user:secret@127.0.0.1/accounts",
  "postgresql://127.0.0.1/accounts",
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
])("The database %j is refused", (database) => {
  expect(() => databaseOf(database)).toThrow(UsageError);
});

test("The refusal of a database does not repeat what may hold a password", () => {
  expect(() => databaseOf("postgres://user:secret@127.0.0.1/accounts")).toThrow(/^(?!.*secret)/);
});

test.each(["0", "1", "3000", "65535"])("The port %s is taken", (port) => {
  expect(readConfig({ port }, {}).port).toBe(Number(port));
  expect(readConfig({}, { PORT: port }).port).toBe(Number(port));
});

test.each(["-1", "65536", "1e3", "abc", "0x10", "80.0", " 80", "80 ", "99999", "１"])(
  "The port %j is refused, as a flag and as a variable",
  (port) => {
    expect(() => readConfig({ port }, {})).toThrow(UsageError);
    expect(() => readConfig({}, { PORT: port })).toThrow(UsageError);
  },
);

test("An empty --port is refused", () => {
  expect(() => readConfig({ port: "" }, {})).toThrow(UsageError);
});

test("An empty --host is refused: it would serve on every address", () => {
  expect(() => readConfig({ host: "" }, {})).toThrow(UsageError);
});

test.each([
  ["true", true],
  ["TRUE", true],
  ["1", true],
  ["false", false],
  ["False", false],
  ["0", false],
])("LOG_REQUESTS=%s means %p", (text, meaning) => {
  expect(readConfig({}, { LOG_REQUESTS: text }).logRequests).toBe(meaning);
});

test.each(["yes", "no", "on", "2", "truely"])("LOG_REQUESTS=%s is refused", (text) => {
  expect(() => readConfig({}, { LOG_REQUESTS: text })).toThrow(UsageError);
});

test.each(["35", "60", "3650"])("Events may be kept for %s days", (days) => {
  expect(readConfig({}, { EVENT_DAYS: days }).eventDays).toBe(Number(days));
  expect(readConfig({ "event-days": days }, { EVENT_DAYS: "40" }).eventDays).toBe(Number(days));
});

test.each(["0", "34", "-1", "1e3", "ten", "100000"])("Events cannot be kept for %s days", (days) => {
  expect(() => readConfig({ "event-days": days }, {})).toThrow(UsageError);
});
