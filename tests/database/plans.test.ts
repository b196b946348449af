import { expect, test } from "bun:test";
import { isOfList, namesWithout, ownTables, prepareAll } from "./prepared.ts";

const all = await prepareAll();

function planOf(name: string): string {
  return all.find((prepared) => prepared.name === name)?.plan.join("; ") ?? "";
}

const ofAccount = "organization_id=? AND account_id=?";

test.each([
  [
    "scores.stale",
    "accounts",
    "COVERING INDEX accounts_score_stale",
    "organization_id=? AND score_stale_at<?",
  ],
  ["changes.bySequence", "changes", "PRIMARY KEY", "organization_id=? AND sequence=?"],
  ["changes.oldest", "changes", "PRIMARY KEY", "organization_id=?"],
  ["changes.removeUpTo", "changes", "PRIMARY KEY", "organization_id=? AND sequence<?"],
  ["changes.feed", "changes", "PRIMARY KEY", "organization_id=? AND sequence>? AND sequence<?"],
  ["changes.first", "changes", "PRIMARY KEY", "organization_id=?"],
  ["changes.last", "changes", "PRIMARY KEY", "organization_id=?"],
  ["changes.timesFrom", "changes", "PRIMARY KEY", "organization_id=? AND sequence>?"],
  ["changes.newestTime", "changes", "PRIMARY KEY", "organization_id=?"],
  ["accountChanges.notIndexed", "changes", "PRIMARY KEY", "organization_id=? AND sequence>?"],
  ["accountChanges.indexedBefore", "account_changes", "PRIMARY KEY", `${ofAccount} AND sequence<?`],
  ["accountChanges.indexedAfter", "account_changes", "PRIMARY KEY", `${ofAccount} AND sequence>?`],
  ["accountChanges.total", "account_changes", "PRIMARY KEY", ofAccount],
  ["accountChanges.remove", "account_changes", "PRIMARY KEY", `${ofAccount} AND sequence=?`],
  ["usageSums.list", "usage_sums", "PRIMARY KEY", "organization_id=? AND day>? AND day<?"],
  ["erasures.changes", "changes", "PRIMARY KEY", "organization_id=? AND sequence>?"],
  ["erasures.replies", "idempotency_keys", "PRIMARY KEY", "organization_id=? AND key>?"],
  [
    ...["erasures.firstUsers", "usage_days", "PRIMARY KEY"],
    "organization_id=? AND (account_id,day,event)>(?,?,?)",
  ],
  [
    ...["erasures.users", "usage_users", "PRIMARY KEY"],
    "organization_id=? AND (account_id,day,event,user_id)>(?,?,?,?)",
  ],
  ["usageSumUsers.oldest", "usage_sum_users", "PRIMARY KEY", "organization_id=? AND day<?"],
  ["healthDays.list", "health_days", "PRIMARY KEY", `${ofAccount} AND day>? AND day<?`],
  ["healthDays.lastBefore", "health_days", "PRIMARY KEY", `${ofAccount} AND day<?`],
  ["scores.byRank", "accounts", "COVERING INDEX accounts_rank", "organization_id=?"],
  ["accountDeletions.next", "account_deletions", "PRIMARY KEY", "organization_id=?"],
  ["accountDeletions.events", "events", "INDEX events_received", "organization_id=? AND rowid>?"],
  [
    ...["attachments.events", "events", "INDEX events_parked"],
    "organization_id=? AND external_id=? AND timestamp>?",
  ],
  ["events.received", "events", "INDEX events_received", "organization_id=? AND rowid>? AND rowid<?"],
  ["events.idsAfter", "events", "COVERING INDEX events_received", "organization_id=? AND rowid>?"],
  ["events.timesFrom", "events", "INDEX events_received", "organization_id=? AND rowid>?"],
  ["events.newestTime", "events", "INDEX events_received", "organization_id=?"],
])("%s reads a range of one index in its order: %s, %s", (name = "", table, index, range) => {
  expect(planOf(name)).toBe(`SEARCH ${table} USING ${index} (${range})`);
});

test("the facts of scores are read from ranges of indexes, and the ends of others", () => {
  const ofAccount = "organization_id=\\? AND account_id=\\?";
  const list = "LIST SUBQUERY \\d; SCAN json_each VIRTUAL TABLE INDEX 1:";
  const range = (table: string, index: string, bounds = "") =>
    `SEARCH ${table} USING ${index} \\(${ofAccount}${bounds}\\)`;
  const subquery = (...parts: string[]) => parts.map((part) => `CORRELATED SCALAR SUBQUERY \\d; ${part}`);
  const expectPlan = (name: string, ...parts: string[]) =>
    expect(planOf(name)).toMatch(new RegExp(`^${parts.join("; ")}$`));
  const days = " AND day>\\? AND day<\\?";
  expectPlan("scoreInputs.days", range("usage_days", "PRIMARY KEY", days), list);
  const newestDay = range("usage_days", "PRIMARY KEY", " AND day<\\?");
  const accounts =
    "SEARCH accounts USING (COVERING )?INDEX sqlite_autoindex_accounts_1 \\(organization_id=\\? AND id=\\?\\)";
  expectPlan(
    "scoreInputs.accounts",
    ...[accounts, list],
    ...subquery(
      `CO-ROUTINE \\(subquery-1\\); ${range("last_seen", "PRIMARY KEY")}; USE TEMP B-TREE FOR ORDER BY; SCAN \\(subquery-1\\)`,
      range("meetings", "COVERING INDEX meetings_account", " AND start_at<\\?"),
      range("usage_days", "PRIMARY KEY", " AND day=\\?"),
      newestDay,
    ),
  );
  expectPlan(
    "scoreInputs.meetings",
    range("meetings", "COVERING INDEX meetings_account", " AND start_at>\\?"),
    list,
  );
  expectPlan("scoreInputs.requests", range("requests", "COVERING INDEX requests_account"), list);
  const ranked = "SEARCH accounts USING COVERING INDEX \\w+ \\(organization_id=\\?\\)";
  expectPlan(
    "usageRanking.accounts",
    ...[
      "CO-ROUTINE \\(subquery-\\d\\)",
      range("usage_days", "PRIMARY KEY", days),
      "LIST SUBQUERY \\d",
      ranked,
    ],
    ...["SCAN \\(subquery-\\d\\)", "USE TEMP B-TREE FOR ORDER BY"],
  );
});

test.each(["contacts", "meetings", "requests"])(
  "a deleted account's %s are found by the account, and deleted by their ids",
  (table) => {
    const ofAccount = "USING COVERING INDEX \\w+ \\(organization_id=\\? AND account_id=\\?\\)$";
    expect(planOf(`${table}.idsOfAccount`)).toMatch(new RegExp(`^SEARCH ${table} ${ofAccount}`));
    expect(planOf(`${table}.deleteOfAccount`)).toStartWith(
      `SEARCH ${table} USING INTEGER PRIMARY KEY (rowid=?);`,
    );
  },
);

test("the attributes of a deleted account's contacts are found by the account and their ids", () => {
  expect(planOf("contacts.attributesOfAccount")).toMatch(
    /^SEARCH contacts USING INDEX contacts_account \(organization_id=\? AND account_id=\? AND id=\?\);/,
  );
});

test.each(["accounts.rowCount", "accounts.rowCountByExternalId"])(
  "the rows of an account are counted one by one, by indexes of the account, until there are enough: %s",
  (name) => {
    const { plan = [] } = all.find((statement) => statement.name === name) ?? {};
    // A co-routine ends with its limit.
    expect(plan.filter((line) => /ROUTINE|MATERIALIZE/.test(line))).toEqual(["CO-ROUTINE counted"]);
    const searches = plan.filter((line) => /^SEARCH/.test(line)).slice(1);
    const ofAccount = /\(organization_id=\? AND account_id=\?\)$/;
    expect(searches.filter((line) => ofAccount.test(line))).toHaveLength(3);
    expect(searches).toHaveLength(3);
  },
);

test("no statement scans a table with rows of organizations", () => {
  const scan = new RegExp(`^SCAN (${ownTables.join("|")})\\b`);
  expect(all.filter(({ plan }) => plan.some((line) => scan.test(line)))).toEqual([]);
});

test("the due jobs of an organization are found by probes of indexes that begin with the organization, without a sort", () => {
  const { plan = [] } = all.find(({ name }) => name === "jobs.due") ?? {};
  const [organizations, ...probes] = plan.filter((line) => !/SUBQUERY|json_each/.test(line));
  expect(organizations).toBe("SEARCH organizations USING INTEGER PRIMARY KEY (rowid=?)");
  expect(probes.length).toBeGreaterThan(10);
  const probe = /^SEARCH \w+ USING .*\((?:organization_id=\?|rowid=\?\)$)/;
  expect(probes.filter((line) => !probe.test(line))).toEqual([]);
  expect(probes.filter((line) => line.includes("rowid=?"))).toEqual(
    ["health_progress", "health_settings", "health_progress", "organization_settings"].map(
      (table) => `SEARCH ${table} USING INTEGER PRIMARY KEY (rowid=?)`,
    ),
  );
});

test("the embedded lists of an account are read from covering indexes, in their order", () => {
  const { plan = [] } = all.find(({ name }) => name === "accounts.withLists") ?? {};
  for (const table of ["contacts", "meetings", "requests"])
    expect(plan.join("\n")).toMatch(
      new RegExp(`^SEARCH ${table} USING COVERING INDEX .*organization_id=\\?`, "m"),
    );
  expect(plan.filter((line) => line.includes("TEMP B-TREE"))).toEqual([]);
});

test("no statement reads all rows of an organization for a list of keys", () => {
  // The counts have a row for each status and tier. The jobs are of a list of organizations.
  const lists = all.filter(
    ({ name, sql }) =>
      sql.includes("in (select value from json_each(") &&
      !isOfList({ name }) &&
      name !== "accountCounts.total" &&
      !name.startsWith("jobs."),
  );
  expect(lists.length).toBeGreaterThan(0);
  const wide = lists.filter(
    ({ plan }) => !/^SEARCH \w+ USING .*\((?:organization_id=\? AND \w+|rowid)=\?/.test(plan[0] ?? ""),
  );
  expect(wide).toEqual([]);
  const changes = all.filter(({ sql }) => /^(update|delete from) "(\w+)" .*"\2"\."id" = /.test(sql));
  expect(changes.length).toBeGreaterThan(50);
  const slow = changes.filter(({ plan }) => !/^SEARCH \w+ USING .*(rowid|AND id)=\?/.test(plan[0] ?? ""));
  expect(slow).toEqual([]);
});

test("a row is read by its key", () => {
  const byKey = all.filter(({ name }) => /\.(byId|byAccount)$/.test(name));
  expect(byKey.length).toBeGreaterThan(5);
  expect(
    namesWithout(
      byKey,
      /^SEARCH \w+ USING (INTEGER PRIMARY KEY \(rowid=\?\)|.*\(organization_id=\? AND \w+=\?)/,
    ),
  ).toEqual([]);
});

test("a batch of the deletion of an organization reads keys without a sort, and deletes each row by its key", () => {
  const keys = all.filter(({ name }) => name.startsWith("organizations.keys."));
  const deletes = all.filter(({ name }) => name.startsWith("organizations.delete."));
  expect([keys.length, deletes.length]).toEqual([30, 30]);
  expect(namesWithout(keys, /^SEARCH \w+ USING [^;]*\((organization_id|rowid)=\?\)$/)).toEqual([]);
  const wholeKey =
    /^SEARCH \w+ USING (INTEGER PRIMARY KEY \(rowid=\?\)|PRIMARY KEY \(organization_id=\? AND [^;<>]*\))/;
  expect(namesWithout(deletes, wholeKey)).toEqual([]);
});

test("the contacts of a batch are found by their accounts and addresses, one entry of the index each", () => {
  expect(planOf("contacts.byEmails")).toMatch(
    /^SCAN json_each VIRTUAL TABLE .*; SEARCH contacts USING INDEX \S+ \(organization_id=\? AND account_id=\? AND folded_email=\?\)$/,
  );
});

/** What SQLite reads first, and whether it sorts, for the statements of a list. */
