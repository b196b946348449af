import { expect, test } from "bun:test";
import {
  type IndexedAccount,
  type IndexSearch,
  sortedByName,
  TextIndex,
} from "../../db/sqlite/reads/text-index.ts";
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
  const index = new TextIndex(1_000);
  for (const account of accounts) index.push(account);
  return index;
}

/** The rows that a search finds in all of its steps. */
function find(index: TextIndex, needle: string, options: Omit<IndexSearch, "needle"> = {}): number[] {
  const steps = index.find({ needle, ...options });
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value ?? [];
  }
}

const idsIn = (index: TextIndex, rows: number[]) => rows.map((row) => index.idOf(row));

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
        const found = idsIn(index, index.withoutAccounts(find(index, needle, { status }), hidden));
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
  expect(find(index, "gmbh")).toHaveLength(15_001);
  expect(find(index, "cus_")).toHaveLength(20_000);
  expect(find(index, "cus_19999")).toHaveLength(1);
  expect(find(index, "gmbhcus")).toHaveLength(0);
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

test("a search without matches reads some rows in each step", () => {
  const index = indexWith(accountsFrom(4, 3_000));
  const [steps, other] = [index.find({ needle: "absent" }), index.find({ needle: "absent" })];
  for (let step = 1; step < 3; step += 1)
    expect([steps.next(), other.next()]).toEqual(Array(2).fill({ done: false, value: 0 }));
  expect([steps.next(), other.next()]).toEqual(Array(2).fill({ done: true, value: [] }));
});

test("a step of a search ends after some matches", () => {
  const index = indexWith(accountsFrom(4, 3_000));
  const all = find(index, "a");
  expect(all.length).toBeGreaterThan(1_000);
  expect([...index.find({ needle: "a" })].length).toBeGreaterThan(3);
  const steps = index.find({ needle: "a" });
  const other = index.find({ needle: "b" });
  const results = [steps, other].map((search) => {
    for (let step = search.next(); ; step = search.next()) if (step.done) return step.value;
  });
  expect(results).toEqual([all, find(index, "b")]);
});

test("an account that was added twice is excepted twice", () => {
  const row = { id: 7, foldedName: "acme", foldedExternalId: null, status: "active" as const };
  const index = indexWith([row, { ...row, id: 8 }, row]);
  expect(idsIn(index, index.withoutAccounts(find(index, "acme"), new Set([7])))).toEqual([8]);
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
      const found = (index: TextIndex) => idsIn(index, find(index, needle, { status }));
      expect(found(merged)).toEqual(found(expected));
    }
  const one = new Set([[...added][0]?.id ?? 0]);
  expect((await merged.mergedWith([], one, async () => {})).count).toBe(merged.count - 1);
});
