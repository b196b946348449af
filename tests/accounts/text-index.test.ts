import { expect, test } from "bun:test";
import { type IndexedAccount, sortedByName, TextIndex } from "../../src/accounts/text-index.ts";
import { randomFrom } from "../health-scores/random-steps.ts";

const letters = ["a", "b", "ab", "é", "ß", "日本", "🙂", " ", "\u0001", "x", "cus_"];
const statuses = ["active", "onboarding", "churned", "inactive"] as const;

/** Accounts in the order of their names' bytes, then ids. */
function accountsFrom(seed: number, count: number): IndexedAccount[] {
  const random = randomFrom(seed);
  const text = () => Array.from({ length: 1 + random.below(12) }, () => random.pick(letters)).join("");
  const accounts = Array.from({ length: count }, (_, i) => ({
    id: i + 1,
    foldedName: text(),
    foldedExternalId: random.oneIn(3) ? null : text(),
    status: random.pick([...statuses]),
  }));
  return accounts.sort(
    (one, other) =>
      Buffer.compare(Buffer.from(one.foldedName), Buffer.from(other.foldedName)) || one.id - other.id,
  );
}

function haystackOf(accounts: IndexedAccount[]): TextIndex {
  const haystack = new TextIndex();
  for (const account of accounts) haystack.push(account);
  return haystack;
}

test.each([1, 2, 3])("it finds what holds the needle in name or external id, in order: %d", (seed) => {
  const accounts = accountsFrom(seed, 9_000);
  const haystack = haystackOf(accounts);
  const random = randomFrom(seed);
  const forgotten = new Set(accounts.filter(() => random.oneIn(20)).map(({ id }) => id));
  for (const id of forgotten) haystack.markStale(id);
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
      const wanted = accounts.filter(
        (one) =>
          !forgotten.has(one.id) &&
          (status === undefined || one.status === status) &&
          (one.foldedName.includes(needle) || one.foldedExternalId?.includes(needle)),
      );
      const found = [...haystack.find(needle, status)].map((row) => haystack.idOf(row));
      expect([needle, status, found]).toEqual([needle, status, wanted.map(({ id }) => id)]);
    }
});

test("a needle that most rows have, and one that none has, are found row by row and at once alike", () => {
  const accounts = Array.from({ length: 20_000 }, (_, i) => ({
    id: i + 1,
    foldedName: `${String(i).padStart(5, "0")}${i > 15_000 ? "" : " gmbh"}`,
    foldedExternalId: `cus_${i}`,
    status: "active" as const,
  }));
  const haystack = haystackOf(accounts);
  expect(haystack.find("gmbh")).toHaveLength(15_001);
  expect(haystack.find("cus_")).toHaveLength(20_000);
  expect(haystack.find("cus_19999")).toHaveLength(1);
  expect(haystack.find("gmbhcus")).toHaveLength(0);
});

test("rows compare by the bytes of the name, then by id", () => {
  const accounts = accountsFrom(4, 500);
  const haystack = haystackOf(accounts);
  for (const [i, account] of sortedByName(accounts).entries())
    for (const [row, sign] of [
      [i - 1, -1],
      [i, 0],
      [i + 1, 1],
    ] as const)
      if (row >= 0 && row < accounts.length) expect(Math.sign(haystack.compare(row, account))).toBe(sign);
});

test("what one search found stays when another is made", () => {
  const haystack = haystackOf(accountsFrom(4, 3_000));
  const found = haystack.find("a");
  const kept = [...found];
  expect([...haystack.find("e")]).not.toEqual(kept);
  expect([...found]).toEqual(kept);
});

test("an account that was added twice is taken out twice", () => {
  const row = { id: 7, foldedName: "acme", foldedExternalId: null, status: "active" as const };
  const haystack = haystackOf([row, { ...row, id: 8 }, row]);
  haystack.markAllStale(new Set([7]));
  expect([...haystack.find("acme")].map((found) => haystack.idOf(found))).toEqual([8]);
});

test.each([5, 6])(
  "merged, it is what it would be had the accounts been there from the start: %d",
  async (seed) => {
    const accounts = accountsFrom(seed, 3_000);
    const random = randomFrom(seed);
    const [added, others] = [new Set<IndexedAccount>(), [] as IndexedAccount[]];
    for (const account of accounts) {
      if (random.oneIn(4)) added.add(account);
      else others.push(account);
    }
    const old = haystackOf(others);
    const gone = new Set(others.filter(() => random.oneIn(10)).map(({ id }) => id));
    for (const id of gone) old.markStale(id);
    const merged = await old.mergedWith([...added].toReversed(), async () => {});
    const wanted = haystackOf(accounts.filter(({ id }) => !gone.has(id)));
    expect(merged.count).toBe(wanted.count);
    for (const needle of [...letters, "aba", "cus_a"])
      for (const status of [undefined, "churned"] as const) {
        const idsIn = (haystack: TextIndex) =>
          [...haystack.find(needle, status)].map((row) => haystack.idOf(row));
        expect(idsIn(merged)).toEqual(idsIn(wanted));
      }
    merged.markStale([...added][0]?.id ?? 0);
    expect((await merged.mergedWith([], async () => {})).count).toBe(merged.count - 1);
  },
);
