import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { fold } from "../src/core/folding.ts";
import { accountOf } from "./companies.ts";
import { needlesOf } from "./needles.ts";

type Named = { organizationId?: number; name: string; externalId?: string | null };

function databaseOf(accounts: Named[]): Database {
  const database = new Database(":memory:");
  database.run("CREATE TABLE accounts (organization_id INTEGER, folded_name TEXT, folded_external_id TEXT)");
  const insert = database.prepare("INSERT INTO accounts VALUES (?, ?, ?)");
  database.transaction(() => {
    for (const { organizationId = 1, name, externalId } of accounts)
      insert.run(organizationId, fold(name), externalId ? fold(externalId) : null);
  })();
  return database;
}

const repeat = (count: number, ...accounts: Named[]) => new Array<Named[]>(count).fill(accounts).flat();
const common = repeat(30, { name: "Common Ltd" });

test.each([890, 10_000])(
  "of %d accounts the frequent needle is in many, the rare in few, the absent in none",
  (of) => {
    const accounts = Array.from({ length: of }, (_, index) => accountOf(1, index, of));
    const needles = needlesOf(databaseOf(accounts), 1);
    const share = (needle: string) =>
      accounts.filter((one) => fold(`${one.name}\n${one.externalId ?? ""}`).includes(needle)).length / of;
    expect(share(needles.frequent)).toBeWithin(0.02, 0.2);
    expect(share(needles.rare) * of).toBeWithin(1, 20);
    expect(share(needles.absent)).toBe(0);
    expect(share(needles.letter)).toBeGreaterThan(0.5);
  },
);

test("the needles are determined by the names, in any order", () => {
  const accounts = Array.from({ length: 890 }, (_, index) => accountOf(3, index, 890));
  const needles = needlesOf(databaseOf(accounts), 1);
  expect(needlesOf(databaseOf(accounts.toReversed()), 1)).toEqual(needles);
  expect(needles).toEqual({ frequent: "group", rare: "maremolex", absent: "quixotry", letter: "e" });
});

test("names without a usable word are an error", () => {
  expect(() => needlesOf(databaseOf([{ name: "Ed & Al" }]), 1)).toThrow("no word");
  expect(() => needlesOf(databaseOf(common), 1)).toThrow("no word");
});
