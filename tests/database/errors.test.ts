import { expect, test } from "bun:test";
import {
  DatabaseReplaced,
  EngineBusy,
  engineErrorCode,
  isBusy,
  isDiskFailure,
  UnusableDatabase,
  violatedUniqueIndex,
} from "../../db/errors.ts";

function coded(code: unknown, message = "no more"): Error {
  return Object.assign(new Error(message), { code });
}

test("an error has the code that SQLite or this program gave it, and any other thing has none", () => {
  expect(engineErrorCode(coded("SQLITE_FULL"))).toBe("SQLITE_FULL");
  expect(engineErrorCode(new EngineBusy("x"))).toBe("STORE_BUSY");
  expect(engineErrorCode(new DatabaseReplaced("x"))).toBe("DATABASE_GONE");
  expect(engineErrorCode(new UnusableDatabase("x"))).toBe("DATABASE_REFUSED");
  for (const other of [new Error("x"), coded(5), { code: "SQLITE_FULL" }, "SQLITE_FULL", null, undefined])
    expect(engineErrorCode(other)).toBe("");
});

test.each([
  ["STORE_BUSY", true, false],
  ["SQLITE_BUSY", true, false],
  ["SQLITE_BUSY_SNAPSHOT", true, false],
  ["SQLITE_LOCKED_SHAREDCACHE", true, false],
  ["DATABASE_GONE", false, true],
  ["SQLITE_FULL", false, true],
  ["SQLITE_IOERR_READ", false, true],
  ["SQLITE_READONLY_DBMOVED", false, true],
  ["SQLITE_CANTOPEN_ISDIR", false, true],
  ["SQLITE_CONSTRAINT_UNIQUE", false, false],
  ["NOT_SQLITE_BUSY", false, false],
  ["NOT_SQLITE_LOCKED", false, false],
  ["NOT_SQLITE_FULL", false, false],
  ["DATABASE_REFUSED", false, false],
  ["", false, false],
])("the code %j: busy %p, a failure of the disk %p", (code, busy, failure) => {
  expect(isBusy(coded(code))).toBe(busy);
  expect(isDiskFailure(coded(code))).toBe(failure);
});

test("the columns of a broken unique index are told, and of no other constraint", () => {
  const message = "UNIQUE constraint failed: accounts.organization_id, accounts.external_id";
  const columns = "accounts.organization_id, accounts.external_id";
  expect(violatedUniqueIndex(coded("SQLITE_CONSTRAINT_UNIQUE", message))).toBe(columns);
  expect(violatedUniqueIndex(coded("SQLITE_CONSTRAINT_PRIMARYKEY", message))).toBeUndefined();
  expect(violatedUniqueIndex({ code: "SQLITE_CONSTRAINT_UNIQUE", message })).toBeUndefined();
  expect(violatedUniqueIndex(undefined)).toBeUndefined();
});
