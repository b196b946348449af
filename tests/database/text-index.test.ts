import { expect, test } from "bun:test";
import { type IndexedAccount, sortedByName, TextIndex } from "../../db/sqlite/text-index.ts";
import { Random } from "../support/random.ts";

const letters = ["a", "b", "ab", "é", "ß", "日本", "🙂", " ", "\u0001", "x", "cus_"];
const statuses = ["active", "onboarding", "churned", "inactive"] as const;

/** Accounts in the order of the bytes of their names, then of ids. */
function accountsFrom(seed: number, count: number): IndexedAccount[] {
  const random = new Random(seed);
  const text = () => Array.from({ length: 1 + random.below(12) }, () => random.of(letters)).join("");
  const accounts = Array.from({ length: count }, (_, i) => ({
    id: i + 1,
    foldedName: text(),
    foldedExternalId: random.below(3) === 0 ? null : text(),
    status: random.of([...statuses]),
  }));
  return accounts.sort(
    (one, other) =>
      Buffer.compare(Buffer.from(one.foldedName), Buffer.from(other.foldedName)) || one.id - other.id,
  );
}

function indexWith(accounts: IndexedAccount[]): TextIndex {
  const index = new TextIndex();
  for (const account of accounts) index.push(account);
  return index;
}

test.each([1, 2, 3])(
  "find returns the rows whose name or external id contains the needle, in order: %d",
  (seed) => {
    const accounts = accountsFrom(seed, 9_000);
    const index = indexWith(accounts);
    const random = new Random(seed);
    const hidden = new Set(accounts.filter(() => random.below(20) === 0).map(({ id }) => id));
    const needles = [
      ...letters,
      "aba",
      "b日",
      "🙂🙂",
      "xcus_",
      "nothing",
      "\u0001 ",
      "a".repeat(300),
      "abababab",
    ];
    for (const needle of needles)
      for (const status of [undefined, ...statuses]) {
        const expected = accounts.filter(
          (one) =>
            !hidden.has(one.id) &&
            (status === undefined || one.status === status) &&
            (one.foldedName.includes(needle) || one.foldedExternalId?.includes(needle)),
        );
        const found = [...index.find(needle, { status, except: hidden })].map((row) => index.idOf(row));
        expect([needle, status, found]).toEqual([needle, status, expected.map(({ id }) => id)]);
      }
  },
);

test("find returns the rows of needles in most rows and in none", () => {
  const accounts = Array.from({ length: 20_000 }, (_, i) => ({
    id: i + 1,
    foldedName: `${String(i).padStart(5, "0")}${i > 15_000 ? "" : " gmbh"}`,
    foldedExternalId: `cus_${i}`,
    status: "active" as const,
  }));
  const index = indexWith(accounts);
  expect(index.find("gmbh")).toHaveLength(15_001);
  expect(index.find("cus_")).toHaveLength(20_000);
  expect(index.find("cus_19999")).toHaveLength(1);
  expect(index.find("gmbhcus")).toHaveLength(0);
});

test("rows compare by the bytes of the name, then by id", () => {
  const accounts = accountsFrom(4, 500);
  const index = indexWith(accounts);
  for (const [i, account] of sortedByName(accounts).entries())
    for (const [row, sign] of [
      [i - 1, -1],
      [i, 0],
      [i + 1, 1],
    ] as const)
      if (row >= 0 && row < accounts.length) expect(Math.sign(index.compare(row, account))).toBe(sign);
});

test("the result of a search stays valid after another search", () => {
  const index = indexWith(accountsFrom(4, 3_000));
  const found = index.find("a");
  const kept = [...found];
  expect([...index.find("e")]).not.toEqual(kept);
  expect([...found]).toEqual(kept);
});

test("an account that was added twice is excepted twice", () => {
  const row = { id: 7, foldedName: "acme", foldedExternalId: null, status: "active" as const };
  const index = indexWith([row, { ...row, id: 8 }, row]);
  expect([...index.find("acme", { except: new Set([7]) })].map((found) => index.idOf(found))).toEqual([8]);
});

test.each([5, 6])("a merged index equals an index that is built from all accounts: %d", async (seed) => {
  const accounts = accountsFrom(seed, 3_000);
  const random = new Random(seed);
  const [added, others] = [new Set<IndexedAccount>(), [] as IndexedAccount[]];
  for (const account of accounts) {
    if (random.below(4) === 0) added.add(account);
    else others.push(account);
  }
  const old = indexWith(others);
  const stale = new Set(others.filter(() => random.below(10) === 0).map(({ id }) => id));
  const merged = await old.mergedWith([...added].toReversed(), stale, async () => {});
  const expected = indexWith(accounts.filter(({ id }) => !stale.has(id)));
  expect(merged.count).toBe(expected.count);
  for (const needle of [...letters, "aba", "cus_a"])
    for (const status of [undefined, "churned"] as const) {
      const idsIn = (index: TextIndex) => [...index.find(needle, { status })].map((row) => index.idOf(row));
      expect(idsIn(merged)).toEqual(idsIn(expected));
    }
  const one = new Set([[...added][0]?.id ?? 0]);
  expect((await merged.mergedWith([], one, async () => {})).count).toBe(merged.count - 1);
});
