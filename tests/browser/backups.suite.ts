import { afterAll, expect } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seriousFindings } from "./axe.ts";
import { consoleSuite } from "./suite.ts";

const backups = mkdtempSync(join(tmpdir(), "accountd-backups-"));
/** An old backup that cannot be removed: each backup of the server fails. */
const old = join(backups, "accountd-20260101T000000Z.db");
mkdirSync(old);
utimesSync(old, new Date("2026-01-01"), new Date("2026-01-01"));
afterAll(() => rmSync(backups, { recursive: true }));

const { server, test } = consoleSuite(["--backup-dir", backups, "--backup-keep", "1"]);
const text =
  /^The last backup of the server failed \(.+\)\. The cause is in the log of the server, at backup_failed\./;

test("an administrator sees on each page that the last backup of the server failed", async ({
  page,
  open,
}) => {
  const notice = page.getByText(text);
  while ((await notice.count()) === 0) await open("/console");
  expect(await seriousFindings(page)).toEqual([]);
  await open("/console/organization");
  expect(await notice.count()).toBe(1);
  const reader = await server().createKey("reader", ["read"]);
  const signedIn = await server().signIn(reader);
  await page.context().addCookies([{ name: "accountd_session", value: signedIn, url: server().url }]);
  await open("/console");
  expect(await notice.count()).toBe(0);
});
