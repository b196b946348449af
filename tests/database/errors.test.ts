import { expect, test } from "bun:test";
import {
  DatabaseDamaged,
  DatabaseReplaced,
  EngineBusy,
  errorCode,
  isBusy,
  isDamage,
  isStorageFailure,
  UniqueViolation,
  UnusableDatabase,
} from "../../db/errors.ts";
import { DamageMonitor } from "../../db/sqlite/errors.ts";

function coded(code: unknown, message = "no more"): Error {
  return Object.assign(new Error(message), { code });
}

test("errorCode returns the code of SQLite or of this program, and an empty text for other values", () => {
  expect(errorCode(coded("SQLITE_FULL"))).toBe("SQLITE_FULL");
  expect(errorCode(new EngineBusy("x"))).toBe("ENGINE_BUSY");
  expect(errorCode(new DatabaseReplaced("x"))).toBe("DATABASE_REPLACED");
  expect(errorCode(new DatabaseDamaged("x"))).toBe("DATABASE_DAMAGED");
  expect(errorCode(new UnusableDatabase("x"))).toBe("DATABASE_UNUSABLE");
  for (const other of [new Error("x"), coded(5), { code: "SQLITE_FULL" }, "SQLITE_FULL", null, undefined])
    expect(errorCode(other)).toBe("");
});

test.each([
  ["ENGINE_BUSY", true, false],
  ["SQLITE_BUSY", true, false],
  ["SQLITE_BUSY_SNAPSHOT", true, false],
  ["SQLITE_LOCKED_SHAREDCACHE", true, false],
  ["DATABASE_REPLACED", false, true],
  ["DATABASE_DAMAGED", false, true],
  ["SQLITE_CORRUPT", false, true],
  ["SQLITE_CORRUPT_VTAB", false, true],
  ["SQLITE_NOTADB", false, true],
  ["SQLITE_FULL", false, true],
  ["SQLITE_IOERR_READ", false, true],
  ["SQLITE_READONLY_DBMOVED", false, true],
  ["SQLITE_CANTOPEN_ISDIR", false, true],
  ["SQLITE_CONSTRAINT_UNIQUE", false, false],
  ["NOT_SQLITE_BUSY", false, false],
  ["NOT_SQLITE_LOCKED", false, false],
  ["NOT_SQLITE_FULL", false, false],
  ["NOT_SQLITE_CORRUPT", false, false],
  ["DATABASE_UNUSABLE", false, false],
  ["", false, false],
])("the code %j: busy %p, a storage failure %p", (code, busy, failure) => {
  expect(isBusy(coded(code))).toBe(busy);
  expect(isDamage(coded(code))).toBe(/^(DATABASE_DAMAGED|SQLITE_CORRUPT|SQLITE_NOTADB)/.test(code));
  expect(isStorageFailure(coded(code))).toBe(failure);
});

test("a unique violation is translated to an error with its columns; other errors are unchanged", () => {
  const monitor = new DamageMonitor("x.db");
  const message = "UNIQUE constraint failed: accounts.organization_id, accounts.external_id";
  const violation = monitor.translate(coded("SQLITE_CONSTRAINT_UNIQUE", message));
  expect(violation).toBeInstanceOf(UniqueViolation);
  expect(violation).toMatchObject({
    code: "UNIQUE_VIOLATION",
    constraint: "accounts.organization_id, accounts.external_id",
    message: "unique constraint violated: accounts.organization_id, accounts.external_id",
  });
  const others = [
    coded("SQLITE_CONSTRAINT_PRIMARYKEY", message),
    { code: "SQLITE_CONSTRAINT_UNIQUE", message },
    undefined,
  ];
  for (const other of others) expect(monitor.translate(other)).toBe(other);
});

test.each([
  ["SQLITE_FULL", "The disk of x.db is full. Free some space and try again."],
  [
    "SQLITE_IOERR_SHMMAP",
    "x.db-shm cannot be mapped into memory: the file system has no shared memory. Put the database on a local disk.",
  ],
  [
    "SQLITE_IOERR_READ",
    "The disk of x.db failed (SQLITE_IOERR_READ). Check the log of the kernel, then run accountd check.",
  ],
  ["SQLITE_READONLY", "x.db is read-only. Check the permissions of the file and its folder, and the mount."],
])("the message of %s has the path, the cause and what to do, and the code stays", (code, message) => {
  expect(new DamageMonitor("x.db").translate(coded(code, "disk I/O error"))).toMatchObject({ code, message });
});

test("damage is reported once, and rejects later writes", () => {
  let reports = 0;
  const monitor = new DamageMonitor("x.db", () => {
    reports += 1;
  });
  for (const code of ["SQLITE_FULL", "SQLITE_BUSY", "SQLITE_CONSTRAINT_UNIQUE"])
    monitor.translate(coded(code));
  monitor.assertSound();
  expect(reports).toBe(0);
  for (const code of ["SQLITE_CORRUPT_INDEX", "SQLITE_CORRUPT", "SQLITE_NOTADB"]) {
    const damage = coded(code);
    expect(monitor.translate(damage)).toBe(damage);
  }
  expect(reports).toBe(1);
  expect(() => monitor.assertSound()).toThrow(DatabaseDamaged);
});
