import { expect, test } from "bun:test";
import { readAddress, readDatabase, readServerConfig } from "../../src/config.ts";
import { UsageError } from "../../src/core/settings/operator-error.ts";

const anyList = expect.anything();
const bothOrigins = ["https://a.io", "http://b.io:1"];

test("Without flags and environment, settings have their defaults", () => {
  expect(readServerConfig({}, {})).toEqual({
    database: "data/accountd.db",
    host: "127.0.0.1",
    port: 3000,
    backupFolder: "",
    backupUrl: "",
    backupMilliseconds: 86_400_000,
    backupKeepCount: 14,
    hasAccessLog: false,
    hasFailureLog: false,
    eventDays: 35,
    changeDays: 400,
    readWorkers: undefined,
    maxWaitingBytes: 50_331_648,
    rateLimit: undefined,
    authFailureLimit: 100,
    keepAliveSeconds: 75,
    trustedProxies: expect.anything(),
    corsOrigins: [],
    hasConsole: true,
    hasConsoleLogos: true,
    webhookNetworks: expect.anything(),
    hasInsecureWebhooks: false,
    logLevel: "info",
    metrics: "off",
    connections: { readConnections: 8, writeLanes: 4, statementMilliseconds: 5_000, prepare: true },
  });
  expect(readServerConfig({}, {}, "data/other.db").database).toBe("data/other.db");
});

/** Each setting: its variable and flag with a value each, and both values as they are read. */
const settings = [
  ["DATABASE_URL", "x.db", "database", "y.db", "database", "x.db", "y.db"],
  ["HOST", "127.0.0.2", "host", "127.0.0.3", "host", "127.0.0.2", "127.0.0.3"],
  ["PORT", "8080", "port", "0", "port", 8080, 0],
  ["LOG_REQUESTS", "false", "log-requests", true, "hasAccessLog", false, true],
  ["LOG_FAILURES", "false", "log-failures", true, "hasFailureLog", false, true],
  ["EVENT_DAYS", "40", "event-days", "50", "eventDays", 40, 50],
  ["CHANGE_DAYS", "30", "change-days", "60", "changeDays", 30, 60],
  ["READ_WORKERS", "3", "read-workers", "2", "readWorkers", 3, 2],
  ["MAX_WAITING_BYTES", "5000000", "max-waiting-bytes", "2097152", "maxWaitingBytes", 5_000_000, 2_097_152],
  ["RATE_LIMIT", "600", "rate-limit", "off", "rateLimit", 600, undefined],
  ["AUTH_FAILURE_LIMIT", "0", "auth-failure-limit", "8", "authFailureLimit", 0, 8],
  ["KEEP_ALIVE", "120", "keep-alive", "30", "keepAliveSeconds", 120, 30],
  ["TRUSTED_PROXIES", "10.0.0.0/8, ::1", "trusted-proxies", "", "trustedProxies", anyList, anyList],
  ["CORS_ORIGIN", "https://a.io, http://b.io:1", "cors-origin", "*", "corsOrigins", bothOrigins, ["*"]],
  ["CONSOLE", "off", "console", "on", "hasConsole", false, true],
  ["CONSOLE_LOGOS", "off", "console-logos", "on", "hasConsoleLogos", false, true],
  ["WEBHOOKS_ALLOW", "10.0.0.0/8, fd00::/8", "webhooks-allow", "", "webhookNetworks", anyList, anyList],
  ["WEBHOOKS_INSECURE", "false", "webhooks-insecure", true, "hasInsecureWebhooks", false, true],
  ["BACKUP_DIR", "/a", "backup-dir", "b", "backupFolder", "/a", "b"],
  ["BACKUP_TO", "s3://a/b", "backup-to", "s3://c", "backupUrl", "s3://a/b", "s3://c"],
  ["BACKUP_EVERY", "1m", "backup-every", "7d", "backupMilliseconds", 60_000, 604_800_000],
  ["BACKUP_KEEP", "1", "backup-keep", "30", "backupKeepCount", 1, 30],
  ["LOG_LEVEL", "warn", "log-level", "error", "logLevel", "warn", "error"],
  ["METRICS", "127.0.0.1:9464", "metrics", "off", "metrics", { host: "127.0.0.1", port: 9464 }, "off"],
  ["READ_CONNECTIONS", "5", "read-connections", "1", "readConnections", 5, 1],
  ["WRITE_LANES", "6", "write-lanes", "2", "writeLanes", 6, 2],
  ["DATABASE_TIMEOUT", "7", "database-timeout", "3", "statementMilliseconds", 7_000, 3_000],
  ["DATABASE_PREPARE", "false", "", "", "prepare", false, false],
] as const;

test("The environment sets what no flag sets, and a flag takes precedence", () => {
  const environment = Object.fromEntries(settings.map(([variable, value]) => [variable, value]));
  const flags = Object.fromEntries(
    settings.flatMap(([, , flag, value]) => (flag === "" ? [] : [[flag, value]])),
  );
  const flat = ({ connections, ...config }: ReturnType<typeof readServerConfig>) => ({
    ...config,
    ...connections,
  });
  expect<unknown>(flat(readServerConfig({}, environment))).toEqual(
    Object.fromEntries(settings.map(([, , , , name, value]) => [name, value])),
  );
  expect<unknown>(flat(readServerConfig(flags, environment))).toEqual(
    Object.fromEntries(settings.map(([, , , , name, , value]) => [name, value])),
  );
});

test("An invalid variable is ignored if a flag sets the same setting", () => {
  expect(readDatabase({ database: "y.db" }, { DATABASE_URL: "postgres://h/d" })).toBe("y.db");
  expect(readAddress({ port: "1" }, { PORT: "abc" }).port).toBe(1);
  expect(readServerConfig({ "log-requests": true }, { LOG_REQUESTS: "maybe" }).hasAccessLog).toBe(true);
});

test("A setting is read without validating the others", () => {
  const invalid = { PORT: "abc", HOST: "h", LOG_REQUESTS: "maybe", EVENT_DAYS: "3", CHANGE_DAYS: "0" };
  expect(readDatabase({}, { ...invalid, DATABASE_URL: "x.db" })).toBe("x.db");
  expect(readAddress({}, { ...invalid, PORT: "1", DATABASE_URL: ":memory:" })).toEqual({
    host: "h",
    port: 1,
  });
});

test("An empty variable counts as absent", () => {
  const environment = {
    DATABASE_URL: "",
    HOST: "",
    PORT: "",
    LOG_REQUESTS: "",
    EVENT_DAYS: "",
    CHANGE_DAYS: "",
  };
  expect(readServerConfig({}, environment)).toEqual(readServerConfig({}, {}));
});

test.each([
  ["[::]", "::"],
  ["[::1]", "::1"],
  ["::1", "::1"],
  ["fe80::1%eth0", "fe80::1%eth0"],
  ["*", "*"],
  ["localhost", "localhost"],
])("The host %s is the address %s", (host, address) => {
  expect(readAddress({}, { HOST: host }).host).toBe(address);
});

test("A path in CONSOLE, as the init of System V sets it, is no setting; other values are", () => {
  expect(readServerConfig({}, { CONSOLE: "/dev/console" }).hasConsole).toBe(true);
  expect(() => readServerConfig({}, { CONSOLE: "of" })).toThrow(UsageError);
  expect(() => readServerConfig({ console: "/dev/console" }, {})).toThrow(UsageError);
});

test.each([
  ["true", true],
  ["TRUE", true],
  ["1", true],
  ["false", false],
  ["False", false],
  ["0", false],
])("LOG_REQUESTS=%s means %p", (text, meaning) => {
  expect(readServerConfig({}, { LOG_REQUESTS: text }).hasAccessLog).toBe(meaning);
  for (const invalid of ["yes", "no", "on", "2", `${text}y`])
    expect(() => readServerConfig({}, { LOG_REQUESTS: invalid })).toThrow(UsageError);
});

/** Each setting of limits: its flag and its variable with valid values, and with invalid ones. */
test.each([
  ["port", "PORT", ["0", "3000", "65535"], ["-1", "65536", "1e3", "0x10", "80.0", " 80", "80 ", "１"]],
  ["host", "HOST", ["::1"], ["127.0.0.1\r", " ::1", "local host", '"::1"', "http://h", "[h]", "[::1"]],
  ["event-days", "EVENT_DAYS", ["35", "3650"], ["0", "34", "-1", "1e3", "ten", "100000"]],
  ["change-days", "CHANGE_DAYS", ["1", "99999"], ["0", "-1", "1.5", "ten", "100000", " 1"]],
  ["read-workers", "READ_WORKERS", ["1", "64"], ["0", "65", "-1", "1.5", "many", " 1"]],
  ["rate-limit", "RATE_LIMIT", ["1", "1000000"], ["0", "1000001", "ten", "1.5"]],
  ["auth-failure-limit", "AUTH_FAILURE_LIMIT", ["0", "1000000"], ["-1", "off", "1000001"]],
  ["keep-alive", "KEEP_ALIVE", ["10", "255"], ["9", "256", "-1", "60s", "1e2", "75.5"]],
  ["read-connections", "READ_CONNECTIONS", ["1", "1000"], ["0", "-1", "1.5", "1001", "many"]],
  ["write-lanes", "WRITE_LANES", ["1", "1000"], ["0", "-1", "1.5", "1001", "many"]],
  ["console", "CONSOLE", ["on", "off"], ["true", "1", "yes", "onn"]],
])("--%s and %s have limits", (flag, variable, valid, invalid) => {
  for (const value of valid)
    expect(readServerConfig({ [flag]: value }, {})).toEqual(readServerConfig({}, { [variable]: value }));
  const message = `--${flag} (${variable}) must be`;
  for (const value of invalid) {
    expect(() => readServerConfig({ [flag]: value }, {})).toThrow(message);
    expect(() => readServerConfig({}, { [variable]: value })).toThrow(message);
  }
  // An empty variable counts as absent, an empty flag does not: an empty host is every address.
  expect(() => readServerConfig({ [flag]: "" }, {})).toThrow(message);
});

test("The number of read workers may be automatic", () => {
  expect(readServerConfig({ "read-workers": "auto" }, { READ_WORKERS: "2" }).readWorkers).toBeUndefined();
});

test("The error of an invalid setting has its flag and its variable, and the code invalid_setting", () => {
  const error = (() => {
    try {
      return readServerConfig({}, { CHANGE_DAYS: "0" });
    } catch (thrown) {
      return thrown;
    }
  })();
  expect(error).toMatchObject({
    code: "invalid_setting",
    message: "--change-days (CHANGE_DAYS) must be a whole number of days from 1 to 99999.",
  });
});

test.each([
  ["trusted-proxies", "localhost"],
  ["trusted-proxies", "10.0.0.0/33"],
  ["trusted-proxies", "10.0.0.1 10.0.0.2"],
  ["webhooks-allow", "10.0.0.0/33"],
  ["webhooks-allow", "internal.example.com"],
  ["cors-origin", "https://App.example.com"],
  ["cors-origin", "https://app.example.com:443"],
])("--%s %s is invalid", (flag, value) => {
  expect(() => readServerConfig({ [flag]: value }, {})).toThrow(`--${flag} (`);
});

test.each([
  [
    "https://app.example.com/",
    "https://app.example.com/ is not an origin as browsers send it. Write https://app.example.com.",
  ],
  ["https://a.io,https://App.example.com:443/x", "Write https://app.example.com."],
  ["app.example.com", "Write https://app.example.com."],
  ["https://*.example.com", "https://*.example.com is not an origin as browsers send it."],
  ["null", "null is not an origin as browsers send it."],
  ["ftp://x.io", "ftp://x.io is not an origin as browsers send it."],
  ["https://app.example.com,", "it has an empty entry."],
  ["*,https://app.example.com", "* allows every origin: write it alone."],
])("--cors-origin %s: the message names the entry and what to write", (list, message) => {
  expect(() => readServerConfig({ "cors-origin": list }, {})).toThrow(
    new RegExp(`${RegExp.escape(message)}$`),
  );
});
